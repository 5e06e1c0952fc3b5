/**
 * Named places where a test can stop, fail or kill a journal. Inert in production: only the environment variable
 * `HOLDFAST_FAILPOINTS` arms one, as a comma-separated list of `name=action`.
 */
export type Failpoint =
  | 'open.afterLock'
  | 'open.afterMigration'
  | 'marker.beforeRaise'
  | 'start.beforeWrite'
  | 'settle.beforeWrite'
  | 'answer.beforeWrite'
  | 'commit.before'
  /** Durable, but nobody has been told. */
  | 'commit.after'
  | 'checkpoint.before'
  | 'close.before';

/** `error` throws an I/O error, `kill` ends the process with SIGKILL. */
export type FailpointAction = 'error' | 'kill';

export interface Failpoints {
  hit(name: Failpoint): void;
}

export const inertFailpoints: Failpoints = { hit: () => {} };

/** Reads the variable's value; an empty or absent one arms nothing. */
export function failpointsFrom(value: string | undefined): Failpoints {
  if (value === undefined || value === '') {
    return inertFailpoints;
  }
  const armed = new Map(value.split(',').map((entry) => entry.split('=') as [string, string | undefined]));
  return {
    hit(name) {
      const action = armed.get(name);
      if (action === 'kill') {
        process.kill(process.pid, 'SIGKILL');
      } else if (action === 'error') {
        throw Object.assign(new Error(`Failpoint ${name}`), { code: 'EIO' });
      }
    },
  };
}
