import { HoldfastError } from '../core/errors.ts';
import { text } from '../core/messages.ts';

/** What is loaded by the first call that needs it, at most once, and never again once it was stopped. */
export class LazyRuntime<Runtime extends { stop(): Promise<void> }> {
  readonly #load: () => Promise<Runtime>;
  #loaded: Promise<Runtime> | undefined;
  #stopping = false;

  constructor(load: () => Promise<Runtime>) {
    this.#load = load;
  }

  /** @throws HoldfastError `stopped`; or why it could not be loaded: the next call tries again. */
  readonly get = (): Promise<Runtime> => {
    if (this.#stopping) {
      return Promise.reject(new HoldfastError('stopped', text('refused.stopping')));
    }
    if (this.#loaded === undefined) {
      this.#loaded = this.#load();
      this.#loaded.catch(() => (this.#loaded = undefined));
    }
    return this.#loaded;
  };

  /** Also stops what is still being loaded. What could not be loaded needs no stop. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const runtime = await this.#loaded?.catch(() => undefined);
    await runtime?.stop();
  }
}
