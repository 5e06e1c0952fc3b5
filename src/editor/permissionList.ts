import { QuickPickItemKind, window, type QuickPickItem } from 'vscode';
import type { Decision, Grant } from '../core/decision.ts';
import type { Clock } from '../core/clock.ts';
import { pointInTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import type { Surface } from '../core/scope.ts';
import { toolLabel, type Tool } from '../core/tool.ts';
import { surfaceDefaults, type PermissionRules, type Permissions } from '../decisions/permissions.ts';
import type { Journal } from '../journal/journal.ts';
import { decidedByText, grantSpan } from './permissionText.ts';
import { choose } from './quickPicks.ts';

/** More grants, or denied calls, than a list is of use for. */
const MOST = 200;

const SURFACES = Object.keys(surfaceDefaults) as Surface[];

export interface PermissionListOptions {
  readonly permissions: Permissions;
  /** All that are known by now: those of an MCP server only once it was started. */
  readonly tools: () => readonly Tool[];
  /** Rejects where the journal cannot be read: then the rules are shown all the same. */
  readonly journal: () => Promise<Journal>;
  readonly user: () => string;
  readonly sessionText: (session: string) => string;
  readonly suggestedRules: PermissionRules;
  /** Adds rules to the user's settings. */
  readonly addRules: (rules: PermissionRules) => Promise<void>;
  readonly openSetting: (name: 'permissions' | 'workspacePermissions') => Promise<void>;
  readonly clock: Clock;
  readonly say: Say;
}

interface Row extends QuickPickItem {
  /** @returns whether to come back to the list. */
  readonly choose?: () => Promise<boolean>;
}

/** *Holdfast: Manage Permissions*: what decides for each tool, and everything that can be changed about it. */
export class PermissionList {
  readonly #options: PermissionListOptions;

  constructor(options: PermissionListOptions) {
    this.#options = options;
  }

  async show(): Promise<void> {
    const { say } = this.#options;
    const list = window.createQuickPick<Row>();
    list.title = say('permissions.title');
    list.placeholder = say('permissions.placeholder');
    list.matchOnDescription = true;
    list.matchOnDetail = true;
    list.keepScrollPosition = true;
    try {
      for (;;) {
        list.items = await this.#rows();
        const picked = await choose(list);
        if (picked === undefined || picked === 'back') {
          return;
        }
        // What only informs leaves the list as it is.
        if (picked.choose !== undefined && !(await picked.choose())) {
          return;
        }
      }
    } finally {
      list.dispose();
    }
  }

  /** Lets the person choose among the suggested rules that they have not got yet. */
  async suggest(): Promise<void> {
    const { permissions, suggestedRules, addRules, say } = this.#options;
    const rules = Object.entries(suggestedRules).filter(([pattern]) => !(pattern in permissions.rules.user));
    const items = rules.map(([pattern, effect]) => ({
      label: pattern,
      description: say(`permissions.${effect}`),
      picked: true,
      rule: [pattern, effect] as const,
    }));
    const picked = await window.showQuickPick(items, {
      title: say('permissions.suggest.title'),
      placeHolder: say('permissions.suggest.placeholder'),
      canPickMany: true,
    });
    if (picked !== undefined && picked.length > 0) {
      await addRules(Object.fromEntries(picked.map(({ rule }) => rule)));
      void window.showInformationMessage(say('permissions.suggest.done', { count: picked.length }));
    }
  }

  async #rows(): Promise<Row[]> {
    const { permissions, tools, say } = this.#options;
    const { user, workspace } = permissions.rules;
    return [
      ...section(
        say('permissions.tools'),
        tools().flatMap((tool) => this.#toolRow(tool)),
      ),
      ...(await this.#remembered()),
      ...section(say('permissions.userRules'), this.#ruleRows(user, 'permissions')),
      ...section(
        say('permissions.workspaceRules'),
        workspace.flatMap((rules) => this.#ruleRows(rules, 'workspacePermissions')),
      ),
      ...section(say('permissions.change'), this.#actionRows(user)),
    ];
  }

  /**
   * What decides about a call of the tool that no rule names more narrowly, for all surfaces that it is the same for. A tool that is
   * never asked for has nothing to say, unless a rule denies it.
   */
  #toolRow(tool: Tool): Row[] {
    const { permissions, say } = this.#options;
    const isFree = tool.readOnly || tool.orchestrates === true;
    const surfaces = new Map<string, Surface[]>();
    for (const surface of SURFACES) {
      const { effect, by } = permissions.evaluate(tool.identity, surface);
      if (!isFree || effect === 'deny') {
        const decision = `${say(`permissions.${effect}`)}\n${decidedByText(by, say)}`;
        surfaces.set(decision, [...(surfaces.get(decision) ?? []), surface]);
      }
    }
    const texts = Array.from(surfaces, ([decision, those]) => {
      const [effect = '', by = ''] = decision.split('\n');
      const everybody = those.length === SURFACES.length;
      const names = everybody
        ? say('permissions.everybody')
        : those.map((one) => say(`permissions.surface.${one}`)).join(', ');
      return say('permissions.tool', { effect, surfaces: names, by });
    });
    const label = `$(tools) ${plainText(toolLabel(tool.identity))}`;
    return texts.length === 0 ? [] : [{ label, detail: texts.join(' · ') }];
  }

  #ruleRows(rules: PermissionRules, setting: 'permissions' | 'workspacePermissions'): Row[] {
    const { say, openSetting } = this.#options;
    return Object.entries(rules).map(([pattern, effect]) => ({
      label: `${effectIcons[effect]} ${plainText(pattern, 200)}`,
      description: say(`permissions.${effect}`),
      choose: () => leave(openSetting(setting)),
    }));
  }

  async #remembered(): Promise<Row[]> {
    const { journal, user, say } = this.#options;
    try {
      const open = await journal();
      const grants = await open.listGrants({ user: user(), limit: MOST });
      const { decisions } = await open.listDecisions({ user: user(), deniedOnly: true, limit: MOST });
      return [
        ...section(
          say('permissions.grants'),
          grants.map((grant) => this.#grantRow(grant, open)),
        ),
        ...section(
          say('permissions.denied'),
          decisions.map((denial) => this.#denialRow(denial, open)),
        ),
      ];
    } catch {
      return section(say('permissions.grants'), [{ label: `$(warning) ${say('permissions.unreadable')}` }]);
    }
  }

  #grantRow(grant: Grant, journal: Journal): Row {
    const { tools, user, sessionText, clock, say } = this.#options;
    const known = tools().find(({ identity }) => toolLabel(identity) === toolLabel(grant.tool));
    const counts = known === undefined || known.definitionHash === grant.definitionHash;
    const time = pointInTime(grant.grantedAt, clock.now());
    const label = plainText(toolLabel(grant.tool));
    const revoke = {
      label: `$(trash) ${say('permissions.revoke')}`,
      detail: say('permissions.revoke.detail'),
      choose: async () => {
        await journal.revokeGrant(grant.id, user());
        return true;
      },
    };
    return {
      label: `$(history) ${label}`,
      description: grantSpan(grant, sessionText, say),
      detail: say(counts ? 'permissions.grant.detail' : 'permissions.grant.changed', { time }),
      choose: () => this.#confirm(label, revoke),
    };
  }

  #denialRow({ id, waiting, scope, decidedAt, openedAt, note }: Decision, journal: Journal): Row {
    const { sessionText, clock, say } = this.#options;
    const label = waiting === null ? say('permissions.deniedReview') : plainText(toolLabel(waiting.tool));
    const reopen = {
      label: `$(unlock) ${say('permissions.reopen')}`,
      detail: say('permissions.reopen.detail'),
      choose: async () => {
        await journal.reopenDenial(id);
        return true;
      },
    };
    const time = pointInTime(decidedAt ?? openedAt, clock.now());
    const words = note === null ? '' : ` · ${plainText(note, 200)}`;
    return {
      label: `$(circle-slash) ${label}`,
      detail: `${say('permissions.denied.detail', { time, session: sessionText(scope.session) })}${words}`,
      choose: () => this.#confirm(label, reopen),
    };
  }

  #actionRows(user: PermissionRules): Row[] {
    const { suggestedRules, openSetting, say } = this.#options;
    const missing = Object.keys(suggestedRules).filter((pattern) => !(pattern in user));
    const suggest: Row = {
      label: `$(lightbulb) ${say('permissions.suggest')}`,
      detail: say('permissions.suggest.detail'),
      choose: async () => {
        await this.suggest();
        return true;
      },
    };
    return [
      ...(missing.length === 0 ? [] : [suggest]),
      { label: `$(settings-gear) ${say('permissions.openUser')}`, choose: () => leave(openSetting('permissions')) },
      {
        label: `$(settings-gear) ${say('permissions.openWorkspace')}`,
        choose: () => leave(openSetting('workspacePermissions')),
      },
    ];
  }

  /** Taking something back is asked for once more: a list is picked from quickly. */
  async #confirm(title: string, row: Row): Promise<boolean> {
    const keep: Row = { label: `$(arrow-left) ${this.#options.say('permissions.keep')}` };
    const picked = await window.showQuickPick([row, keep], { title });
    await picked?.choose?.();
    return true;
  }
}

const effectIcons = { allow: '$(check)', ask: '$(question)', deny: '$(circle-slash)' } as const;

function section(label: string, rows: readonly Row[]): Row[] {
  return rows.length === 0 ? [] : [{ label, kind: QuickPickItemKind.Separator }, ...rows];
}

async function leave(opening: Promise<void>): Promise<boolean> {
  await opening;
  return false;
}
