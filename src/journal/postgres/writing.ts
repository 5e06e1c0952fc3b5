import type { WaitingCall } from '../../core/decision.ts';
import type {
  ActionIntent,
  DecisionAnswer,
  Denial,
  EvidenceNote,
  RecoveryOpening,
  Repair,
  RequestOpening,
  Settlement,
} from '../journal.ts';
import type { QuestionOpening, ReplayOpening } from '../runReviews.ts';
import { toJson, toText } from './json.ts';

/** What the functions of the schema take: a start and a settlement as values, all else as JSON with the names of the tables' columns. */

/** The values of a start, one for each parameter after the owner: most starts carry no repairs, and then nothing is to be parsed as JSON. */
export function intentValues(intent: ActionIntent): readonly unknown[] {
  const { scope, tool, repairs } = intent;
  return [
    toText(scope.user),
    toText(scope.session),
    toText(intent.id),
    toText(intent.claimId),
    intent.surface,
    orNull(intent.agent),
    intent.attended ? 1 : 0,
    toText(tool.server),
    toText(tool.name),
    toText(intent.definitionHash),
    toText(intent.argumentHash),
    toText(intent.hashKeyId),
    toText(intent.allowedBy),
    orNull(intent.requestId),
    orNull(intent.parentActionId),
    orNull(intent.externalCallId),
    orNull(intent.run?.runId),
    orNull(intent.run?.nodeKey),
    Math.floor(intent.staleAfterMs),
    repairs.length === 0 ? null : repairsJson(repairs),
  ];
}

/** The values of a settlement. */
export function settlementValues({ actionId, claimId, verdict, notes }: Settlement): readonly unknown[] {
  return [
    toText(actionId),
    toText(claimId),
    verdict.outcome,
    toText(verdict.reason),
    'causeId' in verdict ? toText(verdict.causeId) : null,
    notes.length === 0 ? null : notesJson(notes),
  ];
}

function orNull(value: string | null | undefined): string | null {
  return value === null || value === undefined ? null : toText(value);
}

export function repairsJson(repairs: readonly Repair[]): string {
  return toJson(
    repairs.map((repair) => ({
      kind: repair.as,
      action_id: repair.actionId,
      claim_id: repair.claimId,
      note_id: repair.as === 'orphan' ? repair.noteId : null,
      request_id: repair.as === 'not_executed' ? repair.requestId : null,
    })),
  );
}

export function notesJson(notes: readonly EvidenceNote[]): string {
  return toJson(notes.map(({ id, evidence }) => ({ id, kind: evidence.kind, detail: toJson(evidence) })));
}

export function requestJson({ id, scope, attended, waiting, expiresInMs }: RequestOpening): string {
  return toJson({
    id,
    user_id: scope.user,
    session_id: scope.session,
    attended: attended ? 1 : 0,
    expires_in_ms: Math.floor(expiresInMs),
    ...waitingColumns(waiting),
  });
}

export function reviewJson({ id, scope, attended, waiting }: RecoveryOpening): string {
  return toJson({
    id,
    user_id: scope.user,
    session_id: scope.session,
    attended: attended ? 1 : 0,
    ...(waiting === null ? {} : waitingColumns(waiting)),
  });
}

export function replayJson({ id, scope, attended, run, checkpoint, usedReview }: ReplayOpening): string {
  return toJson({
    id,
    user_id: scope.user,
    session_id: scope.session,
    attended: attended ? 1 : 0,
    run_id: run.runId,
    node_key: run.nodeKey,
    run_checkpoint: checkpoint,
    used_review: usedReview,
  });
}

export function questionJson({ id, scope, attended, run, expiresInMs }: QuestionOpening): string {
  return toJson({
    id,
    user_id: scope.user,
    session_id: scope.session,
    attended: attended ? 1 : 0,
    run_id: run.runId,
    node_key: run.nodeKey,
    expires_in_ms: Math.floor(expiresInMs),
  });
}

export function denialJson({ id, scope, attended, waiting, by }: Denial): string {
  return toJson({
    id,
    user_id: scope.user,
    session_id: scope.session,
    attended: attended ? 1 : 0,
    ...('rule' in by ? { decided_by: by.rule } : { review: by.review }),
    ...waitingColumns(waiting),
  });
}

export function answerJson({ id, revision, answer, by, from, note, findings = [], grant }: DecisionAnswer): string {
  const remembered = grant === undefined || grant === null ? {} : { grant_id: grant.id, grant_span: grant.span };
  const found = findings.map(({ actionId, verdict, note: words }) => ({ action_id: actionId, verdict, note: words }));
  return toJson({
    id,
    revision,
    state: answer,
    decided_by: by,
    answered_from: from,
    note,
    findings: found,
    ...remembered,
  });
}

function waitingColumns({ tool, definitionHash, argumentHash }: WaitingCall): Record<string, string> {
  return {
    server: tool.server,
    name: tool.name,
    definition_hash: definitionHash,
    waiting_argument_hash: argumentHash,
  };
}
