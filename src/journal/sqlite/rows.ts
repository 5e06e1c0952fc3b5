import type { ActionRecord, Outcome, Reason, RunNode } from '../../core/action.ts';
import type { AnsweredFrom, CancelReason, Decision, DecisionKind, Grant } from '../../core/decision.ts';
import type { DecisionState, ExecutionState } from '../../core/decision.ts';
import type { Evidence, EvidenceRecord } from '../../core/evidence.ts';
import type { Surface } from '../../core/scope.ts';
import type { Row } from './statements.ts';

/** The columns of an {@link ActionRecord}, for a query over `tool_actions JOIN tools USING (tool_id)`. */
export const ACTION_COLUMNS = `id, user_id, session_id, surface, agent, attended, server, name, definition_hash,
  argument_hash, outcome, reason, started_at, completed_at, orphaned_at, acknowledged_by, allowed_by,
  run_id, node_key`;

/** The columns of a {@link Decision}, for a query over `decisions LEFT JOIN tools ON tool_id = waiting_tool_id`. */
export const DECISION_COLUMNS = `id, user_id, session_id, kind, state, revision, opened_at, expires_at, decided_at,
  decided_by, answered_from, note, cancel_reason, server, name, definition_hash, waiting_argument_hash, execution, execution_reason,
  run_id, node_key, run_checkpoint`;

/** The columns of a {@link Grant}, for a query over `grants JOIN tools USING (tool_id)`. */
export const GRANT_COLUMNS = `id, user_id, session_id, server, name, definition_hash, decision_id, granted_by, granted_at,
  revoked_by, revoked_at`;

export function toAction(row: Row, evidence: readonly EvidenceRecord[]): ActionRecord {
  return {
    id: text(row, 'id'),
    scope: { user: text(row, 'user_id'), session: text(row, 'session_id') },
    surface: text(row, 'surface') as Surface,
    agent: textOrNull(row, 'agent'),
    attended: number(row, 'attended') === 1,
    tool: { server: text(row, 'server'), name: text(row, 'name') },
    definitionHash: text(row, 'definition_hash'),
    argumentHash: text(row, 'argument_hash'),
    outcome: text(row, 'outcome') as Outcome,
    reason: textOrNull(row, 'reason') as Reason | null,
    startedAt: number(row, 'started_at'),
    completedAt: numberOrNull(row, 'completed_at'),
    orphanedAt: numberOrNull(row, 'orphaned_at'),
    acknowledgedBy: textOrNull(row, 'acknowledged_by'),
    allowedBy: text(row, 'allowed_by'),
    run: toRunNode(row),
    evidence,
  };
}

function toRunNode(row: Row): RunNode | null {
  const runId = textOrNull(row, 'run_id');
  return runId === null ? null : { runId, nodeKey: text(row, 'node_key') };
}

export function toEvidence(row: Row): EvidenceRecord {
  return { at: number(row, 'at'), evidence: JSON.parse(text(row, 'detail')) as Evidence };
}

export function toDecision(row: Row, actions: readonly ActionRecord[], actionCount = actions.length): Decision {
  const argumentHash = textOrNull(row, 'waiting_argument_hash');
  return {
    id: text(row, 'id'),
    kind: text(row, 'kind') as DecisionKind,
    state: text(row, 'state') as DecisionState,
    revision: number(row, 'revision'),
    scope: { user: text(row, 'user_id'), session: text(row, 'session_id') },
    openedAt: number(row, 'opened_at'),
    expiresAt: numberOrNull(row, 'expires_at'),
    decidedAt: numberOrNull(row, 'decided_at'),
    decidedBy: textOrNull(row, 'decided_by'),
    answeredFrom: textOrNull(row, 'answered_from') as AnsweredFrom | null,
    note: textOrNull(row, 'note'),
    cancelReason: textOrNull(row, 'cancel_reason') as CancelReason | null,
    waiting:
      argumentHash === null
        ? null
        : {
            tool: { server: text(row, 'server'), name: text(row, 'name') },
            definitionHash: text(row, 'definition_hash'),
            argumentHash,
          },
    execution: textOrNull(row, 'execution') as ExecutionState | null,
    executionReason: textOrNull(row, 'execution_reason') as Reason | null,
    run: toRunNode(row),
    checkpoint: numberOrNull(row, 'run_checkpoint'),
    actions,
    actionCount,
  };
}

export function toGrant(row: Row): Grant {
  return {
    id: text(row, 'id'),
    user: text(row, 'user_id'),
    session: textOrNull(row, 'session_id'),
    tool: { server: text(row, 'server'), name: text(row, 'name') },
    definitionHash: text(row, 'definition_hash'),
    decisionId: textOrNull(row, 'decision_id'),
    grantedBy: text(row, 'granted_by'),
    grantedAt: number(row, 'granted_at'),
    revokedBy: textOrNull(row, 'revoked_by'),
    revokedAt: numberOrNull(row, 'revoked_at'),
  };
}

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') {
    throw new TypeError(`Column ${column} holds no text`);
  }
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') {
    throw new TypeError(`Column ${column} holds no number`);
  }
  return value;
}

export function numberOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : number(row, column);
}
