import { StatusBarAlignment, ThemeColor, window } from 'vscode';
import type { Disposable } from '../core/disposable.ts';
import type { Say } from '../core/messages.ts';

/** What waits for a person. */
export interface ToReview {
  /** Actions with unknown outcome. */
  readonly actions: number;
  /** Calls that wait for permission; their notification may be hidden. */
  readonly requests: number;
}

/** The one thing of Holdfast that stands on screen by itself, and only while there is something to do. */
export class StatusBar implements Disposable {
  readonly #item = window.createStatusBarItem('holdfast.status', StatusBarAlignment.Left, 1);
  readonly #say: Say;
  #toReview: ToReview = { actions: 0, requests: 0 };
  #problem: string | undefined;

  constructor(say: Say) {
    this.#say = say;
    this.#item.name = 'Holdfast';
    this.#item.command = 'holdfast.reviewUnresolved';
  }

  get isUnavailable(): boolean {
    return this.#problem !== undefined;
  }

  showToReview(toReview: ToReview): void {
    this.#toReview = toReview;
    this.#problem = undefined;
    this.#render();
  }

  /** @param problem a sentence that says why mutations are refused. */
  showUnavailable(problem: string): void {
    this.#problem = problem;
    this.#render();
  }

  dispose(): void {
    this.#item.dispose();
  }

  #render(): void {
    const { actions, requests } = this.#toReview;
    if (this.#problem !== undefined) {
      this.#show('warning', this.#say('status.unavailable'), this.#problem, 'statusBarItem.errorBackground');
    } else if (actions + requests > 0) {
      const text = this.#say('status.toReview', { count: actions + requests });
      const tooltip = [
        ...(actions > 0 ? [this.#say('status.actions', { count: actions })] : []),
        ...(requests > 0 ? [this.#say('status.requests', { count: requests })] : []),
      ].join('\n');
      this.#show('shield', text, tooltip, 'statusBarItem.warningBackground');
    } else {
      this.#item.hide();
    }
  }

  #show(icon: string, text: string, tooltip: string, background: string): void {
    const item = this.#item;
    item.text = `$(${icon}) ${text}`;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: `Holdfast: ${text}. ${tooltip}` };
    item.backgroundColor = new ThemeColor(background);
    item.show();
  }
}
