import { readFile } from 'node:fs/promises';
import initSqlJs, { type Database, type SqlJsConfig, type SqlJsStatic } from 'sql.js';
import { HoldfastError } from '../../core/errors.ts';
import { text } from '../../core/messages.ts';
import { journalMisused } from './faults.ts';
import { FileShim } from './fileShim.ts';
import { nodeFiles, type Files, type FileStatus } from './files.ts';
import type { IoCounts } from './mount.ts';
import { JOURNAL_FILE } from './setAside.ts';
import { compileBuild, shippedBuild } from './wasmImports.ts';

export interface EngineOptions {
  /** The journal's folder. It must exist, and its owner lock must be held. */
  readonly folder: string;
  readonly wasmFile: string;
  readonly files?: Files;
  /** The database's name in the folder; the journal's where absent. */
  readonly file?: string;
}

/** An open journal database, as schema `journal`, with nothing between a commit and the disk. */
export interface Engine {
  readonly database: Database;
  readonly io: IoCounts;
  /** The status of the log that is written, whatever stands under its name by now; undefined while there is none. */
  logStatus(): FileStatus | undefined;
  /**
   * What the disk said when SQLite last failed, and forgets it. SQLite itself only says "disk I/O error".
   * Undefined when SQLite's error did not come from the disk.
   */
  takeFileError(): unknown;
  /** Writes the log back into the database and lets go of the files. The files are let go of even when this throws. */
  close(): void;
  /** Lets go of the files as they are, as a crash would. The next opening recovers from the log. For use after an I/O error. */
  abandon(): void;
}

/** sql.js' loader. A parameter only because of its singleton, see {@link loadRuntime}. */
export type InitSqlJs = (config?: SqlJsConfig) => Promise<SqlJsStatic>;

/**
 * Opens (creates) `journal.db` in the folder: the one call that most need. To open again later in the same thread, keep
 * a {@link SqliteRuntime} instead.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const runtime = await loadRuntime(options.wasmFile);
  return runtime.open(options.folder, options.files, OPENING, options.file);
}

/**
 * Loads sql.js with its file calls served from disk.
 *
 * sql.js' loader is a singleton: the second call in one bundle (or one module cache) answers with the first instance and
 * ignores its options. So call this once per thread and keep what it returns; a runtime can open many engines, one after
 * the other or together. After a wasm trap the runtime is lost, and with it its thread.
 *
 * @param init another copy of the loader. Tests that need several runtimes in one process pass fresh ones.
 * @throws HoldfastError `journal_unavailable` when the wasm file is not the expected one; `internal` on a second call.
 */
export async function loadRuntime(wasmFile: string, init: InitSqlJs = initSqlJs): Promise<SqliteRuntime> {
  const module = await compileBuild(new Uint8Array(await readFile(wasmFile)), shippedBuild);
  const shim = new FileShim(shippedBuild);
  const sql = await new Promise<SqlJsStatic>((resolve, reject) => {
    const config = {
      // Only SQLite's own functions; sql.js' older ones shadow some of them and are going away.
      useOldExtensionFunctions: false,
      instantiateWasm(imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void): object {
        // What is thrown in here would be lost in sql.js, and its promise would never settle.
        try {
          receive(shim.instantiate(module, imports));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
        return {};
      },
    };
    init(config).then(resolve, reject);
  });
  if (!shim.isInstantiated) {
    throw journalMisused('sql.js was already loaded in this thread. Keep its SqliteRuntime.');
  }
  return new SqliteRuntime(sql, shim);
}

/** A loaded sql.js that opens databases on disk. */
export class SqliteRuntime {
  readonly #sql: SqlJsStatic;
  readonly #shim: FileShim;

  constructor(sql: SqlJsStatic, shim: FileShim) {
    this.#sql = sql;
    this.#shim = shim;
  }

  /**
   * Opens (creates) a database in the folder, `journal.db` where no other is named, and recovers what a crash left in its log.
   *
   * @throws SQLite's error (`code` such as `SQLITE_NOTADB`), or the disk's as its `cause`.
   */
  open(
    folder: string,
    files: Files = nodeFiles,
    statements: readonly string[] = OPENING,
    file: string = JOURNAL_FILE,
  ): Engine {
    const mount = this.#shim.mount(folder, files);
    const database = new this.#sql.Database();
    const takeFileError = (): unknown => {
      const error = mount.lastError;
      mount.lastError = undefined;
      return error;
    };
    const letGo = (finish: () => void): void => {
      try {
        finish();
      } finally {
        this.#shim.detach(mount);
      }
    };
    const engine: Engine = {
      database,
      io: mount.io,
      logStatus: () => this.#shim.statusOf(mount, `${file}-wal`),
      takeFileError,
      close() {
        letGo(() => {
          database.close();
        });
      },
      abandon: () => {
        this.#shim.detach(mount);
        try {
          database.close();
        } catch {
          // The files are gone from under it already; only its memory had to be freed.
        }
      },
    };
    try {
      for (const statement of statements) {
        database.run(statement.replace('$DATABASE', `'${mount.path}/${file}'`));
      }
      requireWriteAheadLog(database);
      return engine;
    } catch (error) {
      engine.abandon();
      const cause = takeFileError();
      throw cause === undefined || !(error instanceof Error) ? error : Object.assign(error, { cause });
    }
  }
}

/**
 * How a journal is opened. The order matters: exclusive locking comes *before* ATTACH, or SQLite wants shared memory for
 * the log, which there is none of here, and a left-over log cannot be recovered.
 */
export const OPENING: readonly string[] = [
  'PRAGMA locking_mode = EXCLUSIVE',
  'PRAGMA temp_store = MEMORY',
  'PRAGMA foreign_keys = ON',
  // Views and triggers in a journal are ours or nobody's; a damaged page is to be noticed when it is touched.
  'PRAGMA trusted_schema = OFF',
  'PRAGMA cell_size_check = ON',
  'ATTACH $DATABASE AS journal',
  'PRAGMA journal.journal_mode = WAL',
  'PRAGMA journal.synchronous = FULL',
  // The worker checkpoints between commits, so that no caller's commit pays for it.
  'PRAGMA wal_autocheckpoint = 0',
  // 16 MiB: the upper levels of a million rows' indexes.
  'PRAGMA journal.cache_size = -16384',
];

function requireWriteAheadLog(database: Database): void {
  const mode = database.exec('PRAGMA journal.journal_mode')[0]?.values[0]?.[0];
  if (mode !== 'wal') {
    throw new HoldfastError('journal_unavailable', text('journal.noWriteAheadLog', { mode: String(mode) }));
  }
}
