import { isUnresolved, type ActionRecord } from './action.ts';
import type { Say } from './messages.ts';

/** How an action ended, in a few words for a list or a notification. */
export function howItEnded(action: ActionRecord, say: Say): string {
  if (action.reason !== null) {
    return say(`ended.${action.reason}`);
  }
  if (action.orphanedAt === null) {
    return say('ended.running');
  }
  const lost = action.evidence.some(({ evidence }) => evidence.kind === 'completion_lost');
  return say(lost ? 'ended.orphanedHere' : 'ended.orphaned');
}

/** Whether the action still holds back its session, or a person has checked it. */
export function reviewState(action: ActionRecord, say: Say): string {
  if (action.acknowledgedBy !== null) {
    return say('review.checked');
  }
  return isUnresolved(action) ? say('review.toCheck') : '';
}
