import type { MessagePort } from 'node:worker_threads';
import { newId } from '../../core/ids.ts';
import type { Failpoints } from '../failpoints.ts';
import { UNRESOLVED } from '../unresolved.ts';
import { checkpoint, walFrames } from './checkpoint.ts';
import { openEngine, type Engine } from './engine.ts';
import { failingFiles } from './failingFiles.ts';
import { nodeFiles } from './files.ts';
import { GroupCommit } from './groupCommit.ts';
import { LogSpace } from './logSpace.ts';
import { isRead } from './operations/all.ts';
import type { OperationContext } from './operations/context.ts';
import { becomeOwner } from './operations/owners.ts';
import { newestWorkspaceSession } from './operations/sessions.ts';
import type { Call, FromWorker, OpenedJournal, ToWorker, WorkerOrder } from './protocol.ts';
import { prepareDatabase, type JournalIdentity } from './startup.ts';
import { Statements } from './statements.ts';

/** When this much was written since the last checkpoint, about a thousand pages, the log is moved into the database. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;
/** The log holds that and the group of commits that went over it. */
const LOG_BYTES = CHECKPOINT_BYTES + 256 * 1024;

/**
 * Whether something in the journal still needs somebody: then the marker outside stays up. An orphan that a review acknowledged does
 * not: it stays `started` until its claim is settled, and nobody waits for that.
 */
export const RESTLESS = `
  SELECT EXISTS (SELECT 1 FROM tool_actions INDEXED BY claims_open
                 WHERE outcome = 'started' AND orphaned_at IS NULL)
      OR EXISTS (SELECT 1 FROM tool_actions INDEXED BY actions_unresolved WHERE ${UNRESOLVED})
      OR EXISTS (SELECT 1 FROM decisions INDEXED BY decisions_open WHERE state = 'open') AS restless`;

/** The journal inside its thread: an engine, the group commit on top, and what it answers. */
export class WorkerJournal {
  readonly #port: MessagePort;
  readonly #engine: Engine;
  readonly #statements: Statements;
  readonly #failpoints: Failpoints;
  readonly #group: GroupCommit;
  readonly #space: LogSpace;
  /**
   * The log was found, not written by this worker. An earlier sync of it may have failed, after which the system can take its
   * pages for clean: a later sync would not write them, and a hole in the log hides all commits behind it. So it is
   * moved into the database, page by page, before anything is written that somebody will rely on.
   */
  #logIsSuspect: boolean;
  #checkpoints = 0;
  #bytesAtCheckpoint = 0;
  #closed = false;

  /** @throws what the disk or SQLite threw, or a HoldfastError. The files are let go of then. */
  static async open(order: WorkerOrder, port: MessagePort, failpoints: Failpoints): Promise<WorkerJournal> {
    const files = failingFiles(nodeFiles, failpoints);
    const engine = await openEngine({ folder: order.folder, wasmFile: order.wasmFile, files });
    try {
      const foundLog = walFrames(engine) > 0;
      const statements = new Statements(engine.database);
      const identity = prepareDatabase(engine.database, statements, failpoints, order);
      failpoints.hit('open.afterMigration');
      const contextAt = contextMaker(statements, failpoints, order, identity);
      const space = new LogSpace(order.folder, files, LOG_BYTES, () => engine.logStatus());
      const journal = new WorkerJournal(port, engine, statements, failpoints, contextAt, space, foundLog);
      journal.#takeOver(order, identity, contextAt(order.at));
      journal.#keepSpace();
      return journal;
    } catch (error) {
      engine.abandon();
      throw withCause(error, engine.takeFileError());
    }
  }

  private constructor(
    port: MessagePort,
    engine: Engine,
    statements: Statements,
    failpoints: Failpoints,
    contextAt: (at: number) => OperationContext,
    space: LogSpace,
    foundLog: boolean,
  ) {
    this.#port = port;
    this.#engine = engine;
    this.#statements = statements;
    this.#failpoints = failpoints;
    this.#space = space;
    this.#logIsSuspect = foundLog;
    this.#group = new GroupCommit({ statements, failpoints, contextAt });
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** @throws what the disk or the module threw. The thread must end then. */
  handle(messages: readonly ToWorker[]): void {
    const calls = messages.flatMap((message) => (message.kind === 'calls' ? message.calls : []));
    this.#serve(calls);
    if (messages.some((message) => message.kind === 'count')) {
      const { commits } = this.#group;
      const counts = { commits, checkpoints: this.#checkpoints, statements: this.#statements.executed };
      this.#post({ kind: 'counts', counts: { io: { ...this.#engine.io }, ...counts } });
    }
    if (messages.some((message) => message.kind === 'close')) {
      this.#close();
    }
  }

  /** The error as the one that fails the journal, with what the disk said as its cause. */
  takeCause(error: unknown): unknown {
    return withCause(error, this.#engine.takeFileError());
  }

  /** Lets go of the files as they are. */
  abandon(): void {
    this.#engine.abandon();
  }

  #serve(calls: readonly Call[]): void {
    if (calls.length === 0) {
      return;
    }
    if (this.#logIsSuspect && !calls.every((call) => isRead(call.name))) {
      this.#checkpoint();
      this.#logIsSuspect = false;
    }
    this.#post({ kind: 'answers', answers: this.#group.run(calls) });
    // After the answers, so that nobody waits for it.
    if (this.#bytesSinceCheckpoint > CHECKPOINT_BYTES) {
      this.#checkpoint();
    }
    this.#keepSpace();
  }

  get #bytesSinceCheckpoint(): number {
    return this.#engine.io.bytesWritten - this.#bytesAtCheckpoint;
  }

  /** Not behind a log that is still suspect: the checkpoint of it must find it as it is. */
  #keepSpace(): void {
    if (!this.#logIsSuspect) {
      this.#space.keep(this.#bytesSinceCheckpoint);
    }
  }

  #checkpoint(): void {
    this.#failpoints.hit('checkpoint.before');
    checkpoint(this.#engine);
    this.#bytesAtCheckpoint = this.#engine.io.bytesWritten;
    this.#checkpoints += 1;
  }

  #takeOver(order: WorkerOrder, identity: JournalIdentity, context: OperationContext): void {
    this.#statements.run('BEGIN IMMEDIATE');
    const interrupted = becomeOwner(context, order.owner);
    this.#statements.run('COMMIT');
    const { journalId, created } = identity;
    const recalledSession = order.recallSession ? newestWorkspaceSession(context, order.owner.user) : null;
    const journal: OpenedJournal = { journalId, created, interrupted, recalledSession };
    this.#post({ kind: 'opened', journal });
  }

  #close(): void {
    this.#failpoints.hit('close.before');
    const quiet = this.#statements.first(RESTLESS)?.['restless'] === 0;
    this.#engine.close();
    this.#closed = true;
    this.#post({ kind: 'closed', quiet });
  }

  #post(message: FromWorker): void {
    this.#port.postMessage(message);
  }
}

function contextMaker(
  statements: Statements,
  failpoints: Failpoints,
  { owner }: WorkerOrder,
  { lostBefore }: JournalIdentity,
): (at: number) => OperationContext {
  return (at) => ({ statements, failpoints, ownerId: owner.id, lostBefore, now: () => Math.floor(at), newId });
}

function withCause(error: unknown, cause: unknown): unknown {
  return cause !== undefined && error instanceof Error && error.cause === undefined
    ? Object.assign(error, { cause })
    : error;
}
