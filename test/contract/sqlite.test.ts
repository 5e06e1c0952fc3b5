import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Journal } from '../../src/journal/journal.ts';
import { EmbeddedHarness } from '../support/embeddedHarness.ts';
import { freshRuntime } from '../support/sqliteRuntime.ts';
import type { JournalHarness } from './harness.ts';
import { journalContract } from './journalContract.ts';

/** The embedded journal as it ships: its worker thread, its wasm, real files. */
class SqliteHarness implements JournalHarness {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-')));
  readonly #embedded = new EmbeddedHarness(this.#folder);
  #journal: Journal | undefined;

  async open(): Promise<Journal> {
    const { journal } = await this.#embedded.open('');
    this.#journal = journal;
    return journal;
  }

  async reopen(): Promise<Journal> {
    await this.#journal?.close();
    return this.open();
  }

  async lose(): Promise<Journal> {
    await this.#journal?.close();
    await this.#embedded.marker().raise('the lost journal');
    rmSync(this.#embedded.journalFolder, { recursive: true });
    return this.open();
  }

  arm(failpoints: string): void {
    this.#embedded.arm(failpoints);
  }

  async tamper(sql: string): Promise<void> {
    await this.#journal?.close();
    const runtime = await freshRuntime();
    const engine = runtime.open(this.#embedded.journalFolder);
    engine.database.run(sql);
    engine.close();
  }

  advance(ms: number): void {
    this.#embedded.clock.advance(ms);
  }

  now(): number {
    return this.#embedded.clock.now();
  }

  async dispose(): Promise<void> {
    await this.#journal?.close();
    rmSync(this.#folder, { recursive: true });
  }
}

journalContract('SQLite', () => Promise.resolve(new SqliteHarness()));
