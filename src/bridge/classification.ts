import type { NotExecutedReason, UncertainReason, Verdict } from '../core/action.ts';
import type { StopCause } from '../core/evidence.ts';
import type { Observation } from '../core/tool.ts';

/** How a body ended, as seen from outside. */
export type Ending =
  | { readonly kind: 'returned'; readonly observed: Observation }
  /** `ownRefusal`: the thrown object is one that this very call made (G3, G4). */
  | { readonly kind: 'threw'; readonly ownRefusal: boolean }
  /** It came back without saying what it saw. */
  | { readonly kind: 'unplaced' };

export interface BodyState {
  /** Whether an effect may have left our hands. */
  readonly boundaryCrossed: boolean;
  /** Why we told the body to stop, if we did. */
  readonly stopCause: StopCause | null;
}

/**
 * The outcome rules (DESIGN 4): what was *observed*, on which side of the boundary, and nothing else. No message text, no
 * error code, no hint of a server takes part.
 */
export function classify(ending: Ending, state: BodyState): Verdict {
  if (ending.kind === 'threw') {
    if (ending.ownRefusal) {
      return { outcome: 'not_executed', reason: 'refused_by_tool' };
    }
    return state.boundaryCrossed ? uncertain('threw') : beforeBoundary(state.stopCause);
  }
  if (ending.kind === 'unplaced') {
    return uncertain('unplaced');
  }
  switch (ending.observed.kind) {
    case 'returned':
      return { outcome: 'completed', reason: 'returned' };
    case 'exited':
      return { outcome: 'completed', reason: 'exited' };
    case 'signalled':
      return uncertain('killed_by_signal');
    case 'stopped':
      return state.boundaryCrossed
        ? uncertain(stopReason[ending.observed.cause])
        : beforeBoundary(ending.observed.cause);
    case 'lost':
      return state.boundaryCrossed
        ? { outcome: 'uncertain', reason: 'connection_lost', causeId: ending.observed.causeId }
        : beforeBoundary(state.stopCause);
    case 'error_result':
      return state.boundaryCrossed ? uncertain('error_result') : beforeBoundary(state.stopCause);
    default:
      return uncertain('unplaced');
  }
}

const stopReason: Readonly<Record<StopCause, UncertainReason>> = {
  timed_out: 'timed_out',
  cancelled: 'cancelled_after_boundary',
  stopped_by_host: 'stopped_by_host',
};

const stopReasonBefore: Readonly<Record<StopCause, NotExecutedReason>> = {
  timed_out: 'failed_before_boundary',
  cancelled: 'cancelled_before_boundary',
  stopped_by_host: 'stopped_before_boundary',
};

function beforeBoundary(cause: StopCause | null): Verdict {
  return { outcome: 'not_executed', reason: cause === null ? 'failed_before_boundary' : stopReasonBefore[cause] };
}

function uncertain(reason: UncertainReason): Verdict {
  return { outcome: 'uncertain', reason };
}
