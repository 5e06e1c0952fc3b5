import { literal, looseObject, number, optional, string, union, type output } from 'zod/v4';

/** What a task that a server runs may be doing, by the protocol of 2025-11-25. */
export type TaskState = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task as its server describes it. */
export interface Task {
  readonly id: string;
  readonly state: TaskState;
  /** The server's own words, which may quote anything: for a person's eyes, never kept (P10). */
  readonly message: string | undefined;
  /** How long to wait before asking again, in milliseconds. */
  readonly pollMs: number;
}

const DEFAULT_POLL_MS = 1000;
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 30_000;

const state = union([
  literal('working'),
  literal('input_required'),
  literal('completed'),
  literal('failed'),
  literal('cancelled'),
]);

const taskSchema = looseObject({
  // It becomes evidence: small, and nothing that could hide or quote a text.
  taskId: string().regex(/^[!-~]{1,200}$/),
  status: state,
  statusMessage: optional(string()),
  pollInterval: optional(number()),
});

/** The task in an answer to `tools/call`; undefined: the server ran the call in the usual way, or answered with something else. */
export function createdTask(raw: unknown): Task | undefined {
  const parsed = looseObject({ task: taskSchema }).safeParse(raw);
  return parsed.success ? toTask(parsed.data.task) : undefined;
}

/** The task in an answer to `tasks/get`; undefined: it is no such answer, or one about another task. */
export function describedTask(raw: unknown, id: string): Task | undefined {
  const parsed = taskSchema.safeParse(raw);
  return parsed.success && parsed.data.taskId === id ? toTask(parsed.data) : undefined;
}

function toTask({ taskId, status, statusMessage, pollInterval }: output<typeof taskSchema>): Task {
  const pollMs = Math.min(Math.max(pollInterval ?? DEFAULT_POLL_MS, SHORTEST_POLL_MS), LONGEST_POLL_MS);
  return { id: taskId, state: status, message: statusMessage, pollMs };
}
