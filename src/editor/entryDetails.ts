import type { Decision, Grant } from '../core/decision.ts';
import { howItEnded } from '../core/actionText.ts';
import { fullTime, type MessageKey, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import { actionDetails, type Detail } from './actionDetails.ts';
import type { JournalEntry } from './journalFeed.ts';
import { decidedByText, decisionKind, decisionState, grantSpan, grantState } from './permissionText.ts';

/** All that the journal holds of a record, for a person; what is not there is left out. */
export function entryDetails(
  entry: JournalEntry,
  sessionText: (session: string) => string,
  say: Say,
): readonly Detail[] {
  switch (entry.kind) {
    case 'action':
      return actionDetails(entry.action, sessionText(entry.action.scope.session), say);
    case 'decision':
      return decisionDetails(entry.decision, sessionText, say);
    case 'grant':
      return grantDetails(entry.grant, sessionText, say);
    case 'tombstone':
      return tombstoneDetails(entry, sessionText, say);
  }
}

type Key = Extract<MessageKey, `record.${string}`>;

/** Names each value that there is. */
function named(values: readonly (readonly [Key, string | null])[], say: Say): readonly Detail[] {
  return values.flatMap(([key, value]) =>
    value === null || value === '' ? [] : [{ name: say(key), value: plainText(value, 400) }],
  );
}

function decisionDetails(decision: Decision, sessionText: (session: string) => string, say: Say): readonly Detail[] {
  const { waiting, openedAt, decidedAt, decidedBy, answeredFrom, note, execution, executionReason, actions } = decision;
  const by = decidedBy === null || answeredFrom !== null ? decidedBy : decidedByText(decidedBy, say);
  return named(
    [
      ['record.tool', waiting === null ? null : toolLabel(waiting.tool)],
      ['record.decision', `${decisionKind(decision, say)}: ${decisionState(decision, say)}`],
      ['record.asked', fullTime(openedAt)],
      ['record.decided', decidedAt === null ? null : fullTime(decidedAt)],
      ['record.decidedBy', by],
      ['record.note', note],
      ['record.execution', executionText(execution, executionReason, say)],
      ...actions.map((action) => ['record.actions', `${toolLabel(action.tool)}: ${howItEnded(action, say)}`] as const),
      ['record.session', sessionText(decision.scope.session)],
      ['record.id', decision.id],
    ],
    say,
  );
}

/** An unknown outcome is never called a failure (P9): the action's own words say what became of it. */
function executionText(execution: Decision['execution'], reason: Decision['executionReason'], say: Say): string | null {
  if (execution === null) {
    return null;
  }
  return execution === 'failed' && reason !== null ? say(`ended.${reason}`) : say(`execution.${execution}`);
}

function grantDetails(grant: Grant, sessionText: (session: string) => string, say: Say): readonly Detail[] {
  return named(
    [
      ['record.tool', toolLabel(grant.tool)],
      ['record.decision', say('grant.given', { span: grantSpan(grant, sessionText, say) })],
      ['record.standing', grantState(grant, say)],
      ['record.granted', fullTime(grant.grantedAt)],
      ['record.decidedBy', grant.grantedBy],
      ['record.revoked', grant.revokedAt === null ? null : fullTime(grant.revokedAt)],
      ['record.id', grant.id],
    ],
    say,
  );
}

function tombstoneDetails(
  { session, tombstone }: Extract<JournalEntry, { kind: 'tombstone' }>,
  sessionText: (session: string) => string,
  say: Say,
): readonly Detail[] {
  return named(
    [
      ['record.deleted', fullTime(tombstone.at)],
      ['record.deletedBy', tombstone.by],
      ['record.deletedActions', String(tombstone.actions)],
      ['record.standing', tombstone.complete ? null : say('tombstone.incomplete')],
      ['record.session', sessionText(session.scope.session)],
    ],
    say,
  );
}
