import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { failpointsFrom, type Failpoints } from '../../../journal/failpoints.ts';
import { checkpoint, walFrames } from '../../../journal/sqlite/checkpoint.ts';
import { openEngine, type Engine } from '../../../journal/sqlite/engine.ts';
import { failingFiles } from '../../../journal/sqlite/failingFiles.ts';
import { faultOf } from '../../../journal/sqlite/faults.ts';
import { nodeFiles } from '../../../journal/sqlite/files.ts';
import { toWire } from '../../../journal/sqlite/protocol.ts';
import { Statements } from '../../../journal/sqlite/statements.ts';
import { isRunsRead, performOnRuns } from './operations.ts';
import { RUNS_FILE, type RunsCall, type RunsMessage, type RunsOrder, type RunsReply } from './protocol.ts';
import { RUNS_APPLICATION_ID, RUNS_SCHEMA, RUNS_SCHEMA_VERSION } from './schema.ts';

/** Pages in the log after which it is moved into the database, between two operations. */
const CHECKPOINT_PAGES = 1000;

/** The entry of the thread that holds `runs.db`: one transaction and one sync for each write. It says why before it goes. */
class RunsWorker {
  readonly #port: MessagePort;
  readonly #engine: Engine;
  readonly #statements: Statements;
  readonly #failpoints: Failpoints;
  /** Found, not written by this worker: it is moved into the database before anything is written behind it. */
  #logIsSuspect: boolean;

  static async open(order: RunsOrder, port: MessagePort, failpoints: Failpoints): Promise<RunsWorker> {
    const { folder, wasmFile } = order;
    const engine = await openEngine({ folder, wasmFile, file: RUNS_FILE, files: failingFiles(nodeFiles, failpoints) });
    try {
      return new RunsWorker(port, engine, failpoints);
    } catch (error) {
      engine.abandon();
      throw error;
    }
  }

  private constructor(port: MessagePort, engine: Engine, failpoints: Failpoints) {
    this.#port = port;
    this.#engine = engine;
    this.#failpoints = failpoints;
    this.#logIsSuspect = walFrames(engine) > 0;
    prepare(engine);
    this.#statements = new Statements(engine.database);
  }

  /** @throws what the disk or the module threw. The thread must end then. */
  handle(message: RunsMessage): void {
    if (message.kind === 'close') {
      this.#engine.close();
      this.#reply({ kind: 'closed' });
      this.#port.close();
      return;
    }
    this.#reply(isRunsRead(message.name) ? this.#attempt(message) : this.#write(message));
    if (walFrames(this.#engine) > CHECKPOINT_PAGES) {
      checkpoint(this.#engine);
    }
  }

  abandon(): void {
    this.#engine.abandon();
  }

  #write(call: RunsCall): RunsReply {
    if (this.#logIsSuspect) {
      checkpoint(this.#engine);
      this.#logIsSuspect = false;
    }
    this.#statements.run('BEGIN IMMEDIATE');
    const reply = this.#attempt(call);
    if (reply.kind === 'failed') {
      this.#statements.run('ROLLBACK');
      return reply;
    }
    this.#failpoints.hit('runs.beforeCommit');
    this.#statements.run('COMMIT');
    this.#failpoints.hit('runs.afterCommit');
    return reply;
  }

  #attempt({ seq, name, parameters, at }: RunsCall): RunsReply {
    try {
      const context = { statements: this.#statements, failpoints: this.#failpoints, now: Math.floor(at) };
      return { kind: 'done', seq, result: performOnRuns(context, name, parameters) };
    } catch (error) {
      if (faultOf(error) !== 'operation') {
        throw error;
      }
      return { kind: 'failed', seq, error: toWire(error) };
    }
  }

  #reply(reply: RunsReply): void {
    this.#port.postMessage(reply);
  }
}

/** @throws an error of damage where another program's database, or a broken one, stands there. */
function prepare({ database }: Engine): void {
  const pragma = (name: string): unknown => database.exec(`PRAGMA journal.${name}`)[0]?.values[0]?.[0];
  const tables = Number(database.exec('SELECT count(*) FROM journal.sqlite_schema')[0]?.values[0]?.[0]);
  const isNew = tables === 0 && pragma('application_id') === 0;
  if (!isNew && (pragma('application_id') !== RUNS_APPLICATION_ID || pragma('quick_check(1)') !== 'ok')) {
    throw Object.assign(new Error('The file does not hold the state of runs'), { code: 'SQLITE_CORRUPT' });
  }
  if (Number(pragma('user_version')) > RUNS_SCHEMA_VERSION) {
    throw Object.assign(new Error('A newer Holdfast wrote the state of runs'), { code: 'HOLDFAST_NEWER' });
  }
  if (Number(pragma('user_version')) < RUNS_SCHEMA_VERSION) {
    database.run('BEGIN IMMEDIATE');
    database.exec(RUNS_SCHEMA);
    database.run(`PRAGMA journal.application_id = ${RUNS_APPLICATION_ID}`);
    database.run(`PRAGMA journal.user_version = ${RUNS_SCHEMA_VERSION}`);
    database.run('COMMIT');
  }
}

async function main(port: MessagePort, order: RunsOrder): Promise<void> {
  let worker: RunsWorker | undefined;
  const fail = (error: unknown): void => {
    port.postMessage({ kind: 'ended', error: toWire(error), damaged: faultOf(error) === 'damage' } satisfies RunsReply);
    worker?.abandon();
    port.close();
  };
  try {
    worker = await RunsWorker.open(order, port, failpointsFrom(process.env['HOLDFAST_FAILPOINTS']));
  } catch (error) {
    fail(error);
    return;
  }
  port.postMessage({ kind: 'opened' } satisfies RunsReply);
  port.on('message', (message: RunsMessage) => {
    try {
      worker.handle(message);
    } catch (error) {
      fail(error);
    }
  });
}

if (parentPort !== null) {
  void main(parentPort, workerData as RunsOrder);
}
