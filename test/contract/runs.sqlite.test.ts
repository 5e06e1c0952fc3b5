import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { EmbeddedRunStore } from '../../src/pipelines/store/sqlite/embeddedRunStore.ts';
import { ManualClock } from '../support/manualClock.ts';
import { buildRunsWorker } from '../support/runsWorker.ts';
import { runStoreContract, type RunStoreHarness } from './runStoreContract.ts';

/** The embedded store as it ships: its worker thread, its wasm, real files. */
class EmbeddedRunsHarness implements RunStoreHarness {
  readonly user = 'alice';
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-')));
  readonly #clock = new ManualClock();
  readonly #stores: EmbeddedRunStore[] = [];

  async open(): Promise<EmbeddedRunStore> {
    const files = await buildRunsWorker();
    const store = new EmbeddedRunStore({ folder: this.#folder, ...files, clock: this.#clock, log: silentLog });
    this.#stores.push(store);
    return store;
  }

  async reopen(): Promise<EmbeddedRunStore> {
    await this.#stores.at(-1)?.close();
    return this.open();
  }

  openSecond(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.close()));
    rmSync(this.#folder, { recursive: true });
  }
}

runStoreContract('SQLite', () => Promise.resolve(new EmbeddedRunsHarness()));
