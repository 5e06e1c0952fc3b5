import { commands, StatusBarAlignment, ThemeColor, window, type Memento } from 'vscode';
import { systemClock } from '../core/clock.ts';
import type { Disposable } from '../core/disposable.ts';
import { pointInTime, type Say } from '../core/messages.ts';

/** Remembers since when a person has paused, in milliseconds since the epoch. */
const PAUSED_SINCE = 'holdfast.pausedSince';

/**
 * Whether a person has paused Holdfast in this workspace. It is remembered over a reload, because a pause ends only when a person ends
 * it; and it is on screen for as long as it lasts.
 */
export class PauseSwitch implements Disposable {
  readonly #memento: Memento;
  readonly #say: Say;
  readonly #item = window.createStatusBarItem('holdfast.paused', StatusBarAlignment.Left, 1);

  constructor(memento: Memento, say: Say) {
    this.#memento = memento;
    this.#say = say;
    this.#item.name = 'Holdfast: Pause';
    this.#item.command = 'holdfast.resume';
    this.#item.backgroundColor = new ThemeColor('statusBarItem.warningBackground');
    this.#show();
  }

  get isPaused(): boolean {
    return this.#since !== undefined;
  }

  async set(paused: boolean): Promise<void> {
    if (paused !== this.isPaused) {
      try {
        await this.#memento.update(PAUSED_SINCE, paused ? systemClock.now() : undefined);
      } finally {
        // Also where it is remembered in this window alone.
        this.#show();
      }
    }
  }

  dispose(): void {
    this.#item.dispose();
  }

  get #since(): number | undefined {
    const since = this.#memento.get(PAUSED_SINCE);
    return typeof since === 'number' ? since : undefined;
  }

  #show(): void {
    const since = this.#since;
    void commands.executeCommand('setContext', 'holdfast.paused', since !== undefined);
    if (since === undefined) {
      this.#item.hide();
      return;
    }
    const title = this.#say('pause.status');
    const why = this.#say('pause.status.why', { time: pointInTime(since, systemClock.now()) });
    this.#item.text = `$(debug-pause) ${title}`;
    this.#item.tooltip = why;
    this.#item.accessibilityInformation = { label: `Holdfast: ${title}. ${why}`, role: 'button' };
    this.#item.show();
  }
}
