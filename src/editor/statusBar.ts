import { StatusBarAlignment, ThemeColor, window } from 'vscode';
import type { Disposable } from '../core/disposable.ts';
import type { Say } from '../core/messages.ts';
import type { OpenDecisions } from '../decisions/openDecisions.ts';
import type { Projection } from '../decisions/reconciler.ts';

/** What waits for a person. */
interface ToReview {
  /** Actions with unknown outcome. */
  readonly actions: number;
  /** Calls that wait for permission; their notification may be hidden. */
  readonly requests: number;
}

/** Why mutations are refused: short, and as a sentence. */
interface Problem {
  readonly title: string;
  readonly why: string;
}

/** The one thing of Holdfast that stands on screen by itself, and only while there is something to do. */
export class StatusBar implements Projection, Disposable {
  readonly name = 'status bar';
  readonly #item = window.createStatusBarItem('holdfast.status', StatusBarAlignment.Left, 1);
  readonly #say: Say;
  #toReview: ToReview = { actions: 0, requests: 0 };
  #problem: Problem | undefined;
  /** The way to the journal's server is cut: that stands until the connection is back, whatever else is shown. */
  #disconnected: Problem | undefined;

  constructor(say: Say) {
    this.#say = say;
    this.#item.name = 'Holdfast';
    this.#item.command = 'holdfast.reviewUnresolved';
  }

  get isUnavailable(): boolean {
    return this.#problem !== undefined;
  }

  project({ attentions, unresolved }: OpenDecisions): void {
    const requests = attentions.filter(({ decision }) => decision.kind === 'permission').length;
    this.#toReview = { actions: unresolved, requests };
    this.#problem = undefined;
    this.#render();
  }

  /** @param problem a sentence that says why mutations are refused. */
  showUnavailable(problem: string): void {
    this.#problem = { title: this.#say('status.unavailable'), why: problem };
    this.#render();
  }

  /**
   * The connection to the journal's server is lost, until {@link showConnected}.
   *
   * @param time since when, as a person reads it.
   */
  showDisconnected(time: string, why: string): void {
    this.#disconnected = { title: this.#say('status.disconnected', { time }), why };
    this.#render();
  }

  showConnected(): void {
    this.#disconnected = undefined;
    this.#problem = undefined;
    this.#render();
  }

  dispose(): void {
    this.#item.dispose();
  }

  #render(): void {
    const { actions, requests } = this.#toReview;
    const problem = this.#disconnected ?? this.#problem;
    if (problem !== undefined) {
      this.#show('warning', problem.title, problem.why, 'statusBarItem.errorBackground');
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
