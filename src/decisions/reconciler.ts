import { DisposableStore, type Disposable } from '../core/disposable.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Attention, Inbox } from './inbox.ts';
import type { OpenDecisions } from './openDecisions.ts';

/** A place where a person sees what is open: the tree with its badge, the status bar, panels. */
export interface Projection {
  /** For the log. */
  readonly name: string;

  /**
   * Compares what it shows with what is open, and puts right what differs. Called as well when nothing changed.
   *
   * @throws what kept it from being shown. It is called again.
   */
  project(open: OpenDecisions): void | Promise<void>;
}

export interface ReconcilerOptions {
  readonly inbox: Inbox;
  /** Reads the rows. */
  readonly read: () => Promise<OpenDecisions>;
  /** Shows a decision as a notification: once, for a person may close it. @throws when it cannot be shown. */
  readonly notify: (attention: Attention) => void;
  readonly projections: readonly Projection[];
  /** The rows cannot be read, so nobody can say what is open. */
  readonly onUnread: (error: unknown) => void;
  /** Something could not be shown: {@link Reconciler.repair} is to be called after a while. */
  readonly onOwed: () => void;
  readonly log: Log;
}

/**
 * Keeps what a person sees in line with the open decisions. It looks at committed rows only and writes none: what cannot be shown
 * undoes nothing, and is owed until it is shown (C15).
 */
export class Reconciler implements Disposable {
  readonly #options: ReconcilerOptions;
  readonly #subscriptions = new DisposableStore();
  /** What asks for a notification and has not had one, by decision. */
  readonly #untold = new Map<string, Attention>();
  /** What could not be shown when it was last tried. */
  #unshown: readonly string[] = [];
  #last = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    const { inbox } = options;
    this.#subscriptions.add(
      inbox.onAttention((attention) => {
        this.#untold.set(attention.decision.id, attention);
        // At once, without a look at the rows: a call waits, and what is raised is committed.
        this.#tell();
        this.look();
      }),
    );
    this.#subscriptions.add(inbox.onChanged(this.look));
    this.#subscriptions.add(
      inbox.onDecided((decision) => {
        this.#untold.delete(decision.id);
        this.look();
      }),
    );
  }

  /** Whether something that should be seen is not. */
  get owes(): boolean {
    return this.#untold.size > 0 || this.#unshown.length > 0;
  }

  /** What is open may have changed. Never throws. */
  readonly look = (): void => {
    void this.reconcile().then(() => {
      if (this.owes) {
        this.#options.onOwed();
      }
    });
  };

  /** Resolves when what is open now is shown, or owed. Never rejects. Who asks before a look has begun shares it. */
  reconcile(): Promise<void> {
    if (this.#next === undefined) {
      this.#next = this.#last.then(() => {
        this.#next = undefined;
        return this.#subscriptions.isDisposed ? undefined : this.#project();
      });
      this.#last = this.#next;
    }
    return this.#next;
  }

  /** Tries again what is owed. @throws when some of it still cannot be shown. */
  async repair(): Promise<void> {
    this.#tell();
    await this.reconcile();
    if (this.owes) {
      const notifications = [...this.#untold.keys()].map((id) => `notification of ${id}`);
      throw new Error(`Not shown: ${[...this.#unshown, ...notifications].join(', ')}.`);
    }
  }

  /** Shows nothing more. */
  dispose(): void {
    this.#subscriptions.dispose();
  }

  #tell(): void {
    const { notify } = this.#options;
    for (const [id, attention] of this.#untold) {
      try {
        notify(attention);
        this.#untold.delete(id);
      } catch (error) {
        this.#warn('notification', error);
      }
    }
  }

  async #project(): Promise<void> {
    const { read, projections, onUnread } = this.#options;
    const unshown: string[] = [];
    const attempt = async (name: string, show: () => void | Promise<void>): Promise<void> => {
      try {
        await show();
      } catch (error) {
        unshown.push(name);
        this.#warn(name, error);
      }
    };
    await attempt('open decisions', async () => {
      const open = await read().catch((error: unknown) => {
        onUnread(error);
        throw error;
      });
      for (const projection of projections) {
        await attempt(projection.name, () => projection.project(open));
      }
    });
    this.#unshown = unshown;
  }

  #warn(projection: string, error: unknown): void {
    this.#options.log.warn('not shown', { projection, error: messageOf(error) });
  }
}
