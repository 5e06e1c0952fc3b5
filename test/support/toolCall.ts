import type { Evidence, StopCause } from '../../src/core/evidence.ts';
import { newId } from '../../src/core/ids.ts';
import type { Scope } from '../../src/core/scope.ts';
import type { ToolCall } from '../../src/core/tool.ts';

/** A call outside the bridge: keeps what a body reports. Its refusals are told apart from other errors by `isRefusal`. */
export class RecordingCall implements ToolCall {
  readonly scope: Scope;
  readonly actionId = newId();
  readonly notes: Evidence[] = [];
  readonly earlyAnswers: string[] = [];
  readonly #stop = new AbortController();
  readonly #refusals = new WeakSet();
  #boundaries = 0;

  constructor(scope: Scope = { user: 'user', session: 'session' }) {
    this.scope = scope;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** How often the body said that an effect may leave. */
  get boundaries(): number {
    return this.#boundaries;
  }

  stop(cause: StopCause): void {
    this.#stop.abort(cause);
  }

  boundaryCrossed(): void {
    this.#boundaries++;
  }

  evidence(note: Evidence): void {
    this.notes.push(note);
  }

  keep(note: Evidence): Promise<void> {
    this.notes.push(note);
    return Promise.resolve();
  }

  progress(): void {}

  answerEarly(text: string): void {
    this.earlyAnswers.push(text);
  }

  refusal(message: string, options?: ErrorOptions): Error {
    const error = new Error(message, options);
    this.#refusals.add(error);
    return error;
  }

  isRefusal(thrown: unknown): thrown is Error {
    return thrown instanceof Error && this.#refusals.has(thrown);
  }

  /** The one note of a kind; undefined where there is none. */
  note<Kind extends Evidence['kind']>(kind: Kind): Extract<Evidence, { kind: Kind }> | undefined {
    return this.notes.find((note): note is Extract<Evidence, { kind: Kind }> => note.kind === kind);
  }
}
