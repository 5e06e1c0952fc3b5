/** Something that outlives the call that made it and must be let go of. The shape VS Code's API uses. */
export interface Disposable {
  dispose(): void;
}

/** Told of every disposable that is made and let go of. Tests install one to find leaks; production has none. */
export interface DisposableTracker {
  created(disposable: Disposable): void;
  disposed(disposable: Disposable): void;
}

const tracking: { tracker: DisposableTracker | undefined } = { tracker: undefined };

/** For tests: the tracker that hears of all disposables from now on; `undefined` takes it out again. */
export function trackDisposables(tracker: DisposableTracker | undefined): void {
  tracking.tracker = tracker;
}

/** A disposable that runs `release` once, however often it is disposed. */
export function toDisposable(release: () => void): Disposable {
  let pending: (() => void) | undefined = release;
  const disposable: Disposable = {
    dispose() {
      const run = pending;
      pending = undefined;
      if (run !== undefined) {
        tracking.tracker?.disposed(disposable);
        run();
      }
    },
  };
  tracking.tracker?.created(disposable);
  return disposable;
}

/**
 * Owns disposables and lets go of them together, last added first. Adding to a store that is already disposed disposes at
 * once. Everything is disposed even when some of it throws; the errors come out together, afterwards.
 */
export class DisposableStore implements Disposable {
  readonly #held = new Set<Disposable>();
  #disposed = false;

  constructor() {
    tracking.tracker?.created(this);
  }

  get isDisposed(): boolean {
    return this.#disposed;
  }

  add<T extends Disposable>(disposable: T): T {
    if (this.#disposed) {
      disposable.dispose();
    } else {
      this.#held.add(disposable);
    }
    return disposable;
  }

  /** Disposes one held disposable now. */
  release(disposable: Disposable): void {
    if (this.#held.delete(disposable)) {
      disposable.dispose();
    }
  }

  dispose(): void {
    if (this.#disposed) {
      return;
    }
    this.#disposed = true;
    tracking.tracker?.disposed(this);
    const errors: unknown[] = [];
    for (const disposable of [...this.#held].reverse()) {
      try {
        disposable.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    this.#held.clear();
    if (errors.length > 0) {
      throw new AggregateError(errors, 'Some parts could not be disposed');
    }
  }
}
