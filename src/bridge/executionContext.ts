import { DisposableStore, toDisposable, type Disposable } from '../core/disposable.ts';
import type { Evidence, StopCause } from '../core/evidence.ts';
import { newId } from '../core/ids.ts';
import type { Scope } from '../core/scope.ts';
import type { ToolCall } from '../core/tool.ts';
import type { EvidenceNote } from '../journal/journal.ts';
import type { BodyState } from './classification.ts';

export interface ExecutionContextOptions {
  readonly scope: Scope;
  readonly actionId: string | null;
  /** The caller gives up. */
  readonly cancelled: AbortSignal;
  /** Holdfast stops. */
  readonly stopping: AbortSignal;
  readonly onEvidence?: ((note: EvidenceNote) => void) | undefined;
  /** Writes a note at once. Never rejects. */
  readonly onKeep?: ((note: EvidenceNote) => Promise<void>) | undefined;
  readonly onProgress?: ((message: string) => void) | undefined;
  /** Hears at most once what the body answers before its end; absent where a call has no row that could stay open. */
  readonly onEarlyAnswer?: ((text: string) => void) | undefined;
}

/** One body's surroundings: its boundary, its evidence, its stop signal, and the refusals that it alone may make. */
export class ExecutionContext implements ToolCall {
  readonly scope: Scope;
  readonly actionId: string | null;
  readonly signal: AbortSignal;
  readonly notes: EvidenceNote[] = [];
  readonly #options: ExecutionContextOptions;
  readonly #stop = new AbortController();
  readonly #listeners = new DisposableStore();
  readonly #refusals = new WeakSet();
  readonly #caller: Disposable;
  #boundaryCrossed = false;
  #answered = false;

  constructor(options: ExecutionContextOptions) {
    this.#options = options;
    this.scope = options.scope;
    this.actionId = options.actionId;
    this.signal = this.#stop.signal;
    this.#stopOn(options.stopping, 'stopped_by_host');
    this.#caller = this.#stopOn(options.cancelled, 'cancelled');
  }

  get state(): BodyState {
    return { boundaryCrossed: this.#boundaryCrossed, stopCause: this.stopCause };
  }

  /** Why the body was told to stop; null while it may run. The first cause stays. */
  get stopCause(): StopCause | null {
    return this.signal.aborted ? (this.signal.reason as StopCause) : null;
  }

  /** The body has ended: lets go of the caller's signals. */
  close(): void {
    this.#listeners.dispose();
  }

  /** Whether `thrown` was made by this call's own {@link refusal}: by object identity, so no copy or look-alike counts. */
  isOwnRefusal(thrown: unknown): boolean {
    return typeof thrown === 'object' && thrown !== null && this.#refusals.has(thrown);
  }

  boundaryCrossed(): void {
    this.#boundaryCrossed = true;
  }

  evidence(evidence: Evidence): void {
    const note = { id: newId(), evidence };
    this.notes.push(note);
    this.#options.onEvidence?.(note);
  }

  async keep(evidence: Evidence): Promise<void> {
    const note = { id: newId(), evidence };
    this.notes.push(note);
    await this.#options.onKeep?.(note);
  }

  progress(message: string): void {
    if (!this.#answered) {
      this.#options.onProgress?.(message);
    }
  }

  answerEarly(text: string): void {
    const { onEarlyAnswer } = this.#options;
    if (onEarlyAnswer === undefined || this.#answered || this.signal.aborted) {
      return;
    }
    this.#answered = true;
    // A caller that has its answer has nothing left to cancel; clients are known to cancel calls that are over.
    this.#listeners.release(this.#caller);
    onEarlyAnswer(text);
  }

  refusal(message: string, options?: ErrorOptions): Error {
    const error = new Error(message, options);
    error.name = 'NotExecuted';
    this.#refusals.add(error);
    return error;
  }

  #stopOn(signal: AbortSignal, cause: StopCause): Disposable {
    const stop = (): void => {
      this.#stop.abort(cause);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) {
      stop();
    }
    return this.#listeners.add(
      toDisposable(() => {
        signal.removeEventListener('abort', stop);
      }),
    );
  }
}
