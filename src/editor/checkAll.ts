import { ProgressLocation, window, type QuickPickItem } from 'vscode';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import { countOf, type BulkReview, type ScopeActions } from '../decisions/bulkReview.ts';

/** As long as a note in the review's panel may be. */
const NOTE_LIMIT = 4000;

export interface CheckAllOptions {
  readonly bulk: BulkReview;
  /** Of the journal that is open. */
  readonly user: () => string;
  readonly sessionText: (session: string) => string;
  readonly log: Log;
  readonly say: Say;
}

interface ScopeItem extends QuickPickItem {
  readonly scope: ScopeActions;
}

/** *I checked these…*: many reviews with one note, for whoever has more of them than they want to open one by one. */
export class CheckAll {
  readonly #options: CheckAllOptions;

  constructor(options: CheckAllOptions) {
    this.#options = options;
  }

  /** How many actions are unresolved. */
  async count(): Promise<number> {
    const scopes = await this.#options.bulk.survey(this.#options.user());
    return countOf(scopes);
  }

  async run(): Promise<void> {
    const { bulk, user, log, say } = this.#options;
    const scopes = await this.#choose(await bulk.survey(user()));
    if (scopes.length === 0) {
      return;
    }
    const note = await window.showInputBox({
      title: say('bulk.title', { count: countOf(scopes) }),
      prompt: say('bulk.prompt'),
      placeHolder: say('bulk.placeholder'),
      ignoreFocusOut: true,
      validateInput: (value) =>
        value.trim() === '' || value.length > NOTE_LIMIT ? say('bulk.needsNote', { limit: NOTE_LIMIT }) : undefined,
    });
    // Only words of a person count, and closing the box is none (P6).
    if (note === undefined || note.trim() === '') {
      return;
    }
    const progress = { location: ProgressLocation.Notification, title: say('bulk.working') };
    const result = await window.withProgress(progress, () => bulk.approve(scopes, user(), note.trim()));
    log.info('actions checked together', { ...result });
    const { reviews, actions, left } = result;
    const done = say('bulk.done', { reviews, actions });
    void window.showInformationMessage(left === 0 ? done : `${done} ${say('bulk.left', { count: left })}`);
  }

  async #choose(scopes: readonly ScopeActions[]): Promise<readonly ScopeActions[]> {
    const { sessionText, say } = this.#options;
    if (scopes.length < 2) {
      return scopes;
    }
    const items = scopes.map((scope): ScopeItem => ({
      label: sessionText(scope.scope.session),
      description: say('bulk.count', { count: scope.ids.size }),
      scope,
    }));
    const picked = await window.showQuickPick(items, { canPickMany: true, placeHolder: say('bulk.pick') });
    return (picked ?? []).map(({ scope }) => scope);
  }
}
