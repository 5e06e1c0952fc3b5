import { untilAborted } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Say } from '../../core/messages.ts';
import type { Connection } from './connection.ts';
import { describedTask, type TaskState } from './task.ts';

/** How long a person waits for what a server says of a task, in milliseconds. */
export const REPORT_MS = 10_000;

/**
 * What a server says of a task when a person asks. It settles nothing: the action's outcome stays, and the person judges (P3).
 */
export type TaskReport =
  | {
      readonly kind: 'said';
      readonly state: TaskState;
      /** The server's own words; for the eyes only, never kept (P10). */
      readonly message: string | undefined;
    }
  /** Why nothing is known, as a sentence. */
  | { readonly kind: 'problem'; readonly problem: string };

export interface ReportOptions {
  readonly server: string;
  readonly taskId: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly say: Say;
}

/** Asks a connected server once. Never rejects. */
export async function reportOn(connection: Connection, options: ReportOptions): Promise<TaskReport> {
  const { server, taskId, signal, clock, say } = options;
  const givenUp = new AbortController();
  const giveUp = (): void => {
    givenUp.abort();
  };
  const timer = clock.timer(REPORT_MS, giveUp);
  try {
    const hooks = { onHandOver: () => {}, onLost: giveUp };
    const { result } = connection.request({ method: 'tasks/get', params: { taskId } }, hooks);
    const raw = await untilAborted(result, AbortSignal.any([signal, givenUp.signal]));
    if (raw === undefined) {
      return { kind: 'problem', problem: say('mcp.task.noAnswer', { server }) };
    }
    const task = describedTask(raw, taskId);
    return task === undefined
      ? { kind: 'problem', problem: say('mcp.task.unclear', { server }) }
      : { kind: 'said', state: task.state, message: task.message };
  } catch (error) {
    return { kind: 'problem', problem: say('mcp.task.refused', { server, message: messageOf(error) }) };
  } finally {
    timer.dispose();
  }
}
