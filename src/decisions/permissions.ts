import type { Surface } from '../core/scope.ts';
import { toolLabel, type ToolIdentity } from '../core/tool.ts';
import { beginsWith, matchesText, narrowness, parsePattern, type RulePattern } from './rulePattern.ts';

export type PermissionEffect = 'allow' | 'ask' | 'deny';

/** Rules by pattern; rulePattern.ts says what a pattern names. */
export type PermissionRules = Readonly<Record<string, PermissionEffect>>;

export interface PermissionSettings {
  /** `holdfast.permissions`: application scope, may allow, ask and deny. */
  readonly user: PermissionRules;
  /** `holdfast.workspacePermissions`, one set per workspace folder: resource scope, so it may only tighten: ask and deny. */
  readonly workspace: readonly PermissionRules[];
}

export interface Permission {
  readonly effect: PermissionEffect;
  /** What decided, as it stands in an action's `allowed_by`: `rule:git.*`, `workspaceRule:…` or `default:<surface>`. */
  readonly by: string;
  /** What decided names this very call, not only its tool. A grant of the whole tool then says nothing about it. */
  readonly ofCall: boolean;
}

/** What a surface does without a rule. Surfaces with a confirmation of their own may rely on it; it is never a recovery approval. */
export const surfaceDefaults: Readonly<Record<Surface, PermissionEffect>> = {
  language_model_tool: 'allow',
  manual: 'allow',
  mcp_client: 'ask',
  pipeline: 'ask',
  extension_api: 'ask',
};

const strictness: Readonly<Record<PermissionEffect, number>> = { allow: 0, ask: 1, deny: 2 };

/** Which permission a call has right now. Settings are read each time: a rule that changed counts at once (P5). */
export class Permissions {
  readonly #settings: () => PermissionSettings;

  constructor(settings: () => PermissionSettings) {
    this.#settings = settings;
  }

  /** @param subject what the tool says that rules can name of the call (`Tool.ruleSubject`), if there is anything. */
  evaluate(tool: ToolIdentity, surface: Surface, subject?: readonly string[]): Permission {
    const { user, workspace } = this.#settings();
    const call = { label: toolLabel(tool), subject };
    const fromUser = mostSpecific(user, call, 'rule') ?? {
      effect: surfaceDefaults[surface],
      by: `default:${surface}`,
      ofCall: false,
    };
    return workspace
      .flatMap((rules) => mostSpecific(rules, call, 'workspaceRule') ?? [])
      .reduce(
        (strictest, rule) => (strictness[rule.effect] > strictness[strictest.effect] ? rule : strictest),
        fromUser,
      );
  }

  /** The rules as they stand now, for a person. */
  get rules(): PermissionSettings {
    return this.#settings();
  }
}

interface Call {
  readonly label: string;
  readonly subject: readonly string[] | undefined;
}

/** The narrowest of the rules that match; among equals the strictest. */
function mostSpecific(rules: PermissionRules, call: Call, kind: string): Permission | undefined {
  const matching = Object.entries(rules)
    .map(([pattern, effect]) => ({ pattern, effect, parsed: parsePattern(pattern) }))
    .filter(({ pattern, effect, parsed }) => applies(pattern, parsed, effect, call));
  matching.sort((a, b) => {
    const [callA, toolA] = narrowness(a.parsed);
    const [callB, toolB] = narrowness(b.parsed);
    return callB - callA || toolB - toolA || strictness[b.effect] - strictness[a.effect];
  });
  const best = matching[0];
  return best && { effect: best.effect, by: `${kind}:${best.pattern}`, ofCall: best.parsed.words !== null };
}

function applies(pattern: string, parsed: RulePattern, effect: PermissionEffect, { label, subject }: Call): boolean {
  if (!matchesText(parsed.tool, label)) {
    // A tool's own name may hold brackets. It can be held back by it, and not be let through by a rule for another tool's calls.
    return effect !== 'allow' && matchesText(pattern, label);
  }
  if (parsed.broken) {
    // A typing error must not loosen a rule: what it was to allow is not allowed, what it was to hold back is.
    return effect !== 'allow';
  }
  return parsed.words === null || (subject !== undefined && beginsWith(subject, parsed.words));
}
