import { toDisposable, type Disposable } from './disposable.ts';

/** Subscribes a listener until the returned handle is disposed. The shape VS Code's events have. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** The owning side of an event. Listeners are called in the order they subscribed; one that throws does not stop the others. */
export class Emitter<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onListenerError: (error: unknown) => void;

  /** @param onListenerError hears what a listener threw: an event must never break the one who fires it. */
  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  readonly event: Event<T> = (listener) => {
    // Wrapped, so that subscribing one function twice is two subscriptions.
    const entry = (value: T): void => {
      listener(value);
    };
    this.#listeners.add(entry);
    return toDisposable(() => this.#listeners.delete(entry));
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}
