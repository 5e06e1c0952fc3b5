import { createRequire } from 'node:module';
import type { Files } from '../../src/journal/sqlite/files.ts';
import { loadRuntime, type Engine, type InitSqlJs, type SqliteRuntime } from '../../src/journal/sqlite/engine.ts';

const require = createRequire(import.meta.url);

/** The wasm file that ships, where npm put it. */
export const wasmFile = require.resolve('sql.js/dist/sql-wasm.wasm');

/** A fresh copy of sql.js' loader, which is a singleton per module instance. */
export function freshInitSqlJs(): InitSqlJs {
  const file = require.resolve('sql.js');
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the module cache is a dictionary.
  delete require.cache[file];
  return require(file) as InitSqlJs;
}

/** A runtime of its own, also when the process has others. */
export function freshRuntime(): Promise<SqliteRuntime> {
  return loadRuntime(wasmFile, freshInitSqlJs());
}

/** Engines of the suite that calls this, in one runtime; whatever a test leaves open is let go of after it. */
export function useEngines(): { open(folder: string, files?: Files): Engine } {
  const state: { runtime?: SqliteRuntime; open: Engine[] } = { open: [] };
  before(async () => {
    state.runtime = await freshRuntime();
  });
  afterEach(() => {
    for (const engine of state.open.splice(0)) {
      engine.abandon();
    }
  });
  return {
    open(folder, files) {
      const engine = state.runtime!.open(folder, files);
      state.open.push(engine);
      return engine;
    },
  };
}
