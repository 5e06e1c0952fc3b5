import { window } from 'vscode';
import type { Bridge } from '../bridge/bridge.ts';
import { codeOf, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import type { Journal } from '../journal/journal.ts';
import type { Deadlines } from './deadlines.ts';
import type { DiagnosticsReport } from './diagnosticsReport.ts';
import type { JournalCare } from './journalCare.ts';
import type { PauseSwitch } from './pauseSwitch.ts';

export interface CareOptions {
  readonly pause: PauseSwitch;
  readonly bridge: Bridge;
  readonly deadlines: Deadlines;
  readonly journalCare: JournalCare;
  readonly report: DiagnosticsReport;
  /** Opens the journal if need be. */
  readonly journal: () => Promise<Journal>;
  /** Of the journal that is open. */
  readonly user: () => string;
  readonly log: Log;
  readonly say: Say;
}

/** What a person does for Holdfast itself: pausing, the ways out of a tangle, and what it tells of its state. */
export class Care {
  readonly #options: CareOptions;

  constructor(options: CareOptions) {
    this.#options = options;
    if (options.pause.isPaused) {
      options.bridge.pause();
    }
  }

  /** *Pause*: starts no mutation and settles nothing until {@link resume}. What runs goes on to its end. */
  async pause(): Promise<void> {
    const { pause, bridge, deadlines, log, say } = this.#options;
    bridge.pause();
    await pause.set(true);
    log.info('paused by a person');
    await deadlines.pause();
    const running = await this.#running();
    const resume = say('pause.resume');
    const text = running === 0 ? say('pause.done') : say('pause.done.running', { count: running });
    // Not waited for: it stays on screen until its person is done with it.
    window
      .showInformationMessage(text, resume)
      .then((chosen) => (chosen === resume ? this.resume() : undefined))
      .then(undefined, (error: unknown) => {
        log.warn('not resumed', { error: messageOf(error) });
      });
  }

  /** *Resume*: what fell due meanwhile is settled, and mutations start again. */
  async resume(): Promise<void> {
    const { pause, bridge, deadlines, log, say } = this.#options;
    if (!pause.isPaused) {
      return;
    }
    await pause.set(false);
    bridge.resume();
    deadlines.resume();
    log.info('resumed by a person');
    void window.showInformationMessage(say('pause.resumed'));
  }

  async verifyJournal(): Promise<void> {
    await this.#options.journalCare.verify();
  }

  async resetJournal(): Promise<void> {
    await this.#options.journalCare.reset();
  }

  diagnostics(): Promise<string> {
    return this.#options.report.text();
  }

  async reportIssue(): Promise<void> {
    await this.#options.report.reportIssue();
  }

  async #running(): Promise<number> {
    const { journal, user, log } = this.#options;
    try {
      return (await (await journal()).summarize(user())).running;
    } catch (error) {
      // It is paused all the same.
      log.warn('running actions not counted', { code: codeOf(error) });
      return 0;
    }
  }
}
