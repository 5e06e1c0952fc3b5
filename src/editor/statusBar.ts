import { StatusBarAlignment, ThemeColor, window } from 'vscode';
import type { Disposable } from '../core/disposable.ts';
import type { Say } from '../core/messages.ts';

/** The one thing of Holdfast that stands on screen by itself, and only while there is something to do. */
export class StatusBar implements Disposable {
  readonly #item = window.createStatusBarItem('holdfast.status', StatusBarAlignment.Left, 1);
  readonly #say: Say;
  #unresolved = 0;
  #problem: string | undefined;

  constructor(say: Say) {
    this.#say = say;
    this.#item.name = 'Holdfast';
    this.#item.command = 'holdfast.reviewUnresolved';
  }

  get isUnavailable(): boolean {
    return this.#problem !== undefined;
  }

  showUnresolved(count: number): void {
    this.#unresolved = count;
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
    const item = this.#item;
    if (this.#problem !== undefined) {
      item.text = `$(warning) ${this.#say('status.unavailable')}`;
      item.tooltip = this.#problem;
      item.backgroundColor = new ThemeColor('statusBarItem.errorBackground');
      item.show();
    } else if (this.#unresolved > 0) {
      item.text = `$(shield) ${this.#say('status.toReview', { count: this.#unresolved })}`;
      item.tooltip = this.#say('status.tooltip');
      item.backgroundColor = new ThemeColor('statusBarItem.warningBackground');
      item.show();
    } else {
      item.hide();
    }
  }
}
