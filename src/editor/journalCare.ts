import { ProgressLocation, window } from 'vscode';
import type { Bridge } from '../bridge/bridge.ts';
import { codeOf, describe, HoldfastError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import { unresolvedInAll } from '../journal/summary.ts';
import type { Verification } from '../journal/verification.ts';
import type { JournalHost } from './journalHost.ts';
import type { OpenedJournal } from './openedJournal.ts';

export interface JournalCareOptions {
  readonly host: JournalHost;
  readonly bridge: Bridge;
  readonly log: Log;
  readonly say: Say;
}

/** *Verify Journal* and *Reset Journal…*: what to do about a journal that one no longer trusts, without touching its tables. */
export class JournalCare {
  readonly #options: JournalCareOptions;

  constructor(options: JournalCareOptions) {
    this.#options = options;
  }

  async verify(): Promise<void> {
    const { host, bridge, log, say } = this.#options;
    const { journal, user } = await host.get();
    await bridge.writeRepairs();
    const progress = { location: ProgressLocation.Notification, title: say('verify.working') };
    try {
      const verification = await window.withProgress(progress, () => journal.verify(user));
      log.info('journal verified', { pages: verification.pages, findings: verification.findings.length });
      this.#tell(verification);
    } catch (error) {
      log.warn('journal not verified', { code: codeOf(error) });
      await this.#tellDamage(error);
    }
  }

  async reset(): Promise<void> {
    const { host, bridge, say } = this.#options;
    const opened = await host.get();
    if (opened.location !== 'embedded') {
      void window.showInformationMessage(say('reset.elsewhere'));
      return;
    }
    if (bridge.isBusy) {
      void window.showWarningMessage(say('reset.busy'));
      return;
    }
    const button = say('reset.button');
    const detail = await this.#lost(opened);
    if ((await window.showWarningMessage(say('reset.confirm'), { modal: true, detail }, button)) !== button) {
      return;
    }
    const { kind } = await host.reset();
    if (kind !== 'reset') {
      void window.showWarningMessage(say(`reset.${kind}`));
    }
    // What was done is told by the opening of the new journal, like every other loss of records.
  }

  /** What goes out of reach, as far as the journal can still be read. */
  async #lost({ journal, user }: OpenedJournal): Promise<string> {
    const { say } = this.#options;
    let known: string;
    try {
      const count = unresolvedInAll(await journal.summarize(user));
      const open = await journal.listOpenDecisions(user);
      known = say('reset.unresolved', { count, decisions: open.length });
    } catch (error) {
      known = say('reset.unreadable', { cause: describe(error, say) });
    }
    return [say('reset.lost'), known, say('reset.after')].join('\n\n');
  }

  #tell({ pages, actions, decisions, findings }: Verification): void {
    const { say } = this.#options;
    const looked = say(`verify.${pages}`, { actions, decisions });
    if (findings.length === 0) {
      void window.showInformationMessage(`${say('verify.inOrder')} ${looked}`);
      return;
    }
    const found = findings.map(({ check, count }) => say(`verify.found.${check}`, { count }));
    void window.showWarningMessage([...found, looked, say('verify.advice')].join(' '));
  }

  async #tellDamage(error: unknown): Promise<void> {
    const { say } = this.#options;
    const isDamage = HoldfastError.is(error) && error.text.key === 'journal.damaged';
    const buttons = isDamage ? [say('verify.reset')] : [];
    if ((await window.showErrorMessage(describe(error, say), ...buttons)) !== undefined) {
      await this.reset();
    }
  }
}
