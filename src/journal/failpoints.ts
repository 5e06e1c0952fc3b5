import { readFileSync } from 'node:fs';

/**
 * Named places where a test can stop, fail or kill a journal. Inert in production: only the environment variable
 * `HOLDFAST_FAILPOINTS` arms one. Its value is a comma-separated list of `name=action`, or `@` and the path of a file that
 * holds such a list and is read anew at each place, so that a test can let a fault come and go.
 */
export type Failpoint =
  | 'open.afterLock'
  | 'open.afterMigration'
  | 'marker.beforeRaise'
  | 'start.beforeWrite'
  | 'settle.beforeWrite'
  | 'answer.beforeWrite'
  | 'settleStale.beforeWrite'
  /** The action is written, its request is not. */
  | 'settleStale.beforeRequest'
  | 'commit.before'
  /** Durable, but nobody has been told. */
  | 'commit.after'
  | 'checkpoint.before'
  | 'close.before'
  /** A run's worker: before and after the commit of an operation. */
  | 'runs.beforeCommit'
  | 'runs.afterCommit'
  /** A walk: the node's entry is durable, and nothing of it has run. */
  | 'walk.entered'
  /** A walk: the node has ended, and nothing says so yet. */
  | 'walk.left'
  /** A resume: its review is open; it is approved; the context is rebuilt and compared, and nothing is written. */
  | 'replay.reviewing'
  | 'replay.approved'
  | 'replay.rebuilt'
  /** In the middle of a step of the schema's migration. */
  | 'migration.beforeCommit'
  /** The disk's own calls for the journal's files. */
  | 'file.open'
  | 'file.read'
  | 'file.write'
  | 'file.sync'
  | 'file.directorySync'
  | 'file.truncate';

/**
 * `error` throws an I/O error, `full` the error of a full disk, `kill` ends the process with SIGKILL, `exit` ends the journal's
 * worker thread.
 */
export type FailpointAction = 'error' | 'full' | 'kill' | 'exit';

export interface Failpoints {
  hit(name: Failpoint): void;
}

export const inertFailpoints: Failpoints = { hit: () => {} };

/** @param value of the environment variable; an empty or absent one arms nothing. */
export function failpointsFrom(value: string | undefined): Failpoints {
  if (value === undefined || value === '') {
    return inertFailpoints;
  }
  const file = value.startsWith('@') ? value.slice(1) : undefined;
  return {
    hit(name) {
      const list = file === undefined ? value : readList(file);
      const entry = list.split(',').find((candidate) => candidate.trim().startsWith(`${name}=`));
      if (entry !== undefined) {
        act(name, entry.trim().slice(name.length + 1));
      }
    },
  };
}

function act(name: Failpoint, action: string): void {
  switch (action) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      break;
    case 'exit':
      process.exit(1);
    // eslint-disable-next-line no-fallthrough -- exit never returns.
    case 'full':
      throw Object.assign(new Error(`ENOSPC: failpoint ${name}`), { code: 'ENOSPC' });
    default:
      throw Object.assign(new Error(`EIO: failpoint ${name}`), { code: 'EIO' });
  }
}

function readList(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
