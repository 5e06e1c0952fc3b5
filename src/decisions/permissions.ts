import type { Surface } from '../core/scope.ts';
import { toolLabel, type ToolIdentity } from '../core/tool.ts';

export type PermissionEffect = 'allow' | 'ask' | 'deny';

/** Rules by tool pattern: `server.tool`, where `*` stands for any text. */
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
}

/** What a surface does without a rule. Surfaces with a confirmation of their own may rely on it; it is never a recovery approval. */
const defaults: Readonly<Record<Surface, PermissionEffect>> = {
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

  evaluate(tool: ToolIdentity, surface: Surface): Permission {
    const { user, workspace } = this.#settings();
    const label = toolLabel(tool);
    const fromUser = mostSpecific(user, label, 'rule') ?? { effect: defaults[surface], by: `default:${surface}` };
    return workspace
      .flatMap((rules) => mostSpecific(rules, label, 'workspaceRule') ?? [])
      .reduce(
        (strictest, rule) => (strictness[rule.effect] > strictness[strictest.effect] ? rule : strictest),
        fromUser,
      );
  }
}

/** The matching rule with the most literal characters; among equals the strictest. */
function mostSpecific(rules: PermissionRules, label: string, kind: string): Permission | undefined {
  const matching = Object.entries(rules).filter(([pattern]) => matches(pattern, label));
  matching.sort(([a, effectA], [b, effectB]) => literals(b) - literals(a) || strictness[effectB] - strictness[effectA]);
  const best = matching[0];
  return best && { effect: best[1], by: `${kind}:${best[0]}` };
}

function literals(pattern: string): number {
  return pattern.replaceAll('*', '').length;
}

/** In linear time: patterns also come from workspace files. The pieces between the stars stand in the label in their order. */
function matches(pattern: string, label: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) {
    return label === pattern;
  }
  if (!label.startsWith(first)) {
    return false;
  }
  let at = first.length;
  for (const piece of pieces) {
    const found = label.indexOf(piece, at);
    if (found < 0) {
      return false;
    }
    at = found + piece.length;
  }
  return label.length >= at + last.length && label.endsWith(last);
}
