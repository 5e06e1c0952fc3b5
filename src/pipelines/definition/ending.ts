import type { CallAnswer, Refusal } from '../../bridge/call.ts';
import type { Reason } from '../../core/action.ts';
import type { Ending, ToolNode } from './definition.ts';

/** Why nothing ran that says nothing about the call: it may run once the run goes on. */
const HELD: ReadonlySet<Reason | Refusal> = new Set<Reason | Refusal>([
  'cancelled',
  'stopping',
  'paused',
  'journal_unavailable',
  'recovery_needed',
  'recovery_denied',
  'permission_needed',
  'request_ended',
  'session_removed',
  'cancelled_before_boundary',
  'stopped_before_boundary',
  'start_not_acknowledged',
]);

/** What is known of a tool node's call. */
export interface CallEnd extends Pick<CallAnswer, 'outcome' | 'reason' | 'unresolved'> {
  /** Null where no process ended. */
  readonly exitCode: number | null;
  /** Whether a read said itself that it failed. Of a mutation that is an unknown outcome already. */
  readonly readFailed: boolean;
}

/** How a tool node has ended by its call; see {@link Ending}. */
export function endingOfCall({ successExitCodes }: Pick<ToolNode, 'successExitCodes'>, call: CallEnd): Ending {
  if (call.unresolved || call.outcome === 'uncertain' || call.outcome === 'started') {
    return 'unknown';
  }
  if (call.outcome === 'not_executed') {
    return call.reason !== null && HELD.has(call.reason) ? 'held' : 'failure';
  }
  const wanted = call.exitCode === null || successExitCodes.includes(call.exitCode);
  return wanted && !call.readFailed ? 'success' : 'failure';
}
