import { window, type Memento } from 'vscode';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import { toolLabel, type ToolIdentity } from '../core/tool.ts';
import type { PermissionRules } from '../decisions/permissions.ts';
import { matchesText, parsePattern } from '../decisions/rulePattern.ts';

/** Under which VS Code remembers, for all windows, that the rules were offered. */
const OFFERED = 'suggestedRulesOffered';

export interface RulesOfferOptions {
  /** The tool that the suggested rules are for. */
  readonly tool: ToolIdentity;
  /** The rules of the person, as they stand now. */
  readonly rules: () => PermissionRules;
  readonly memory: Memento;
  /** Shows the suggested rules. */
  readonly review: () => Promise<void>;
  readonly log: Log;
  readonly say: Say;
}

/** Offers the suggested rules once, when an agent first asks for the command tool and no rule says anything about it. */
export class RulesOffer {
  readonly #options: RulesOfferOptions;

  constructor(options: RulesOfferOptions) {
    this.#options = options;
  }

  /** Holds up nothing and never throws: the call goes its way, whatever becomes of the offer. */
  consider(called: ToolIdentity): void {
    const { tool, rules, memory, log } = this.#options;
    const label = toolLabel(tool);
    if (toolLabel(called) !== label || memory.get(OFFERED) === true) {
      return;
    }
    if (Object.keys(rules()).some((pattern) => matchesText(parsePattern(pattern).tool, label))) {
      return;
    }
    this.#offer().catch((error: unknown) => {
      log.error('rules not offered', { error: messageOf(error) });
    });
  }

  async #offer(): Promise<void> {
    const { memory, review, log, say } = this.#options;
    const button = say('permissions.offer.review');
    await memory.update(OFFERED, true);
    log.trace('rules offered');
    if ((await window.showInformationMessage(say('permissions.offer'), button)) === button) {
      await review();
    }
  }
}
