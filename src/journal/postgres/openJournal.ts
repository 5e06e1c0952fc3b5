import type { Event } from '../../core/emitter.ts';
import { HoldfastError, codeOf, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { text } from '../../core/messages.ts';
import type { Failpoint, Failpoints } from '../failpoints.ts';
import type {
  ActionIntent,
  AnswerResult,
  Claim,
  ClaimSettleResult,
  DecisionAnswer,
  ExpiringDecision,
  Journal,
  OthersTopic,
  PruneResult,
  SettleResult,
} from '../journal.ts';
import type { CarriedRecords, ImportResult } from '../carryOver.ts';
import type { TrustedDefinition } from '../definitionTrust.ts';
import { LEASE_MS } from '../schema/postgres/owners.ts';
import type { RemovalResult, SessionRecord } from '../removal.ts';
import type { FunctionCalls } from './functionCalls.ts';
import type { PostgresJournal, PostgresMarker } from './postgresJournal.ts';
import { toJson, toText } from './json.ts';
import type { ReadPool } from './readPool.ts';
import { actionPage, decisionPage, grantsQuery, limitOf, sessionPage } from './reading.ts';
import {
  actionOf,
  answerResultOf,
  decisionOf,
  decisionOrNone,
  grantOf,
  recoveryOpeningResultOf,
  replayOpeningResultOf,
  runReleaseOf,
  startResultOf,
  summaryOf,
  verificationOf,
  takeOverOf,
} from './records.ts';
import type { JsonRow } from './records.ts';
import * as statements from './statements.ts';
import type { Statement } from './statements.ts';
import type { CallOptions, ConnectionState, ValuesFor, WriteLink } from './writeLink.ts';
import {
  answerJson,
  denialJson,
  intentValues,
  notesJson,
  questionJson,
  repairsJson,
  replayJson,
  requestJson,
  reviewJson,
  settlementValues,
} from './writing.ts';

/** What became of one claim of a page; a failure's code is the server's. */
type SettledRow = ClaimSettleResult | { readonly kind: 'failed'; readonly code: string };

export interface OpenJournalParts {
  readonly user: string;
  readonly link: WriteLink;
  readonly pool: ReadPool;
  readonly failpoints: Failpoints;
  readonly log: Log;
  readonly marker: PostgresMarker;
  readonly journalId: string;
}

/** The operations of a journal that is open: what is asked becomes one call of a function, its answer becomes a record. */
export class OpenPostgresJournal implements PostgresJournal {
  readonly user: string;
  readonly leaseMs = LEASE_MS;
  readonly #link: WriteLink;
  readonly #pool: ReadPool;
  readonly #parts: OpenJournalParts;
  #closing: Promise<void> | undefined;

  constructor(parts: OpenJournalParts) {
    this.user = parts.user;
    this.#link = parts.link;
    this.#pool = parts.pool;
    this.#parts = parts;
  }

  get connection(): ConnectionState {
    return this.#link.state;
  }

  get onOthersWrote(): Event<OthersTopic> {
    return this.#link.onOthersWrote;
  }

  get onConnection(): Event<ConnectionState> {
    return this.#link.onState;
  }

  readonly functions: FunctionCalls = {
    write: (name, valuesFor) => this.#link.call(statements.call(name, valuesFor('').length), valuesFor),
    read: (name, values) => this.#result(statements.call(name, values.length), values),
  };

  registerSession: Journal['registerSession'] = async ({ scope, surface, ageMs }) => {
    const age = ageMs === null ? null : Math.max(0, Math.floor(ageMs));
    const values = [toText(scope.user), toText(scope.session), surface, age];
    await this.#link.call(statements.REGISTER_SESSION, () => values);
  };

  startAction: Journal['startAction'] = async (intent) => {
    const values = intentValues(intent);
    const written = await this.#write(statements.START_ACTION, (me) => [me, ...values], 'start.beforeWrite');
    const result = startResultOf(written);
    if (result.kind === 'started') {
      await this.#lookAgain(intent);
    }
    return result;
  };

  repair: Journal['repair'] = async (repairs) => {
    const values = [repairsJson(repairs)];
    await this.#write(statements.REPAIR, () => values);
  };

  settleAction: Journal['settleAction'] = async (settlement) => {
    const values = settlementValues(settlement);
    const result = await this.#write(statements.SETTLE_ACTION, () => values, 'settle.beforeWrite', { patient: true });
    return result as SettleResult;
  };

  appendEvidence: Journal['appendEvidence'] = async (actionId, notes) => {
    const values = [toText(actionId), notesJson(notes)];
    await this.#write(statements.APPEND_EVIDENCE, () => values);
  };

  openRecoveryReview: Journal['openRecoveryReview'] = async (opening) => {
    const review = reviewJson(opening);
    return recoveryOpeningResultOf(await this.#write(statements.OPEN_RECOVERY_REVIEW, (me) => [me, review]));
  };

  openReplayReview: Journal['openReplayReview'] = async (opening) => {
    const review = replayJson(opening);
    return replayOpeningResultOf(await this.#write(statements.OPEN_REPLAY_REVIEW, (me) => [me, review]));
  };

  listNamedActions: Journal['listNamedActions'] = async ({ decision, after, limit }) => {
    const values = [toText(decision), toText(after ?? ''), limitOf(limit) + 1];
    const rows = (await this.#result(statements.LIST_NAMED_ACTIONS, values)) as JsonRow[];
    return { actions: rows.slice(0, limitOf(limit)).map(actionOf), more: rows.length > limitOf(limit) };
  };

  openQuestion: Journal['openQuestion'] = async (opening) => {
    const question = questionJson(opening);
    return decisionOf((await this.#write(statements.OPEN_QUESTION, (me) => [me, question])) as JsonRow);
  };

  releaseRun: Journal['releaseRun'] = async (user, runId) => {
    const values = [toText(user), toText(runId)];
    return runReleaseOf(await this.#link.call(statements.RELEASE_RUN, (me) => [me, ...values]));
  };

  openRequest: Journal['openRequest'] = async (opening) => {
    const request = requestJson(opening);
    return decisionOf((await this.#write(statements.OPEN_REQUEST, (me) => [me, request])) as JsonRow);
  };

  answerDecision: Journal['answerDecision'] = async (answer) => {
    const values = [answerJson(answer)];
    let sent = 0;
    const valuesFor = (): readonly unknown[] => {
      sent += 1;
      return values;
    };
    const result = answerResultOf(await this.#write(statements.ANSWER_DECISION, valuesFor, 'answer.beforeWrite'));
    return sent > 1 ? ownAnswer(result, answer) : result;
  };

  recordDenial: Journal['recordDenial'] = async (denial) => {
    const values = denialJson(denial);
    return decisionOf((await this.#write(statements.RECORD_DENIAL, (me) => [me, values])) as JsonRow);
  };

  reopenDenial: Journal['reopenDenial'] = async (id) => {
    const values = [toText(id)];
    return decisionOrNone(await this.#write(statements.REOPEN_DENIAL, () => values));
  };

  cancelDecision: Journal['cancelDecision'] = async (id, reason) => {
    const values = [toText(id), reason];
    return decisionOrNone(await this.#write(statements.CANCEL_DECISION, () => values));
  };

  renewClaims: Journal['renewClaims'] = async (staleAfterMs) => {
    const staleAfter = Math.floor(staleAfterMs);
    return Number(await this.#write(statements.RENEW_CLAIMS, (me) => [me, staleAfter]));
  };

  listClaims: Journal['listClaims'] = async ({ after, limit }) => {
    const values = [after?.dueAt ?? Number.MIN_SAFE_INTEGER, toText(after?.actionId ?? ''), limitOf(limit)];
    return (await this.#result(statements.LIST_CLAIMS, values)) as Claim[];
  };

  settleStaleClaim: Journal['settleStaleClaim'] = async ({ actionId, claimId, renewedAt }) => {
    const values = [toText(actionId), toText(claimId), renewedAt];
    const result = await this.#write(statements.SETTLE_STALE_CLAIM, () => values, 'settleStale.beforeWrite');
    return result as ClaimSettleResult;
  };

  settleStaleClaims: NonNullable<Journal['settleStaleClaims']> = async (page) => {
    const values = [toJson(page.map(({ actionId, claimId, renewedAt }) => ({ actionId, claimId, renewedAt })))];
    const results = await this.#write(statements.SETTLE_STALE_CLAIMS, () => values, 'settleStale.beforeWrite');
    return (results as readonly SettledRow[]).map((result) =>
      result.kind === 'failed' ? { kind: 'failed', error: this.#link.explain(result) } : result,
    );
  };

  listExpiringDecisions: Journal['listExpiringDecisions'] = async ({ after, limit }) => {
    const values = [after?.expiresAt ?? Number.MIN_SAFE_INTEGER, toText(after?.id ?? ''), limitOf(limit)];
    return (await this.#result(statements.LIST_EXPIRING_DECISIONS, values)) as ExpiringDecision[];
  };

  expireDecision: Journal['expireDecision'] = async (id) => {
    const values = [toText(id)];
    return decisionOrNone(await this.#write(statements.EXPIRE_DECISION, () => values));
  };

  takeOver: Journal['takeOver'] = async () => {
    const dead = await this.#link.deadHere();
    const taken = await this.#link.call(statements.TAKE_OVER, (me) => [me, dead]);
    return takeOverOf(taken as Parameters<typeof takeOverOf>[0]);
  };

  prune: Journal['prune'] = async ({ of, keepMs, limit, after }) => {
    const values = [of, Math.floor(keepMs), toText(after ?? ''), limitOf(limit)];
    return (await this.#link.call(statements.PRUNE, () => values)) as PruneResult;
  };

  listSessions: Journal['listSessions'] = async (query) => {
    const { user } = query;
    const values = sessionPage(query);
    const rows = user === this.user ? await this.#result(statements.LIST_SESSIONS, values) : [];
    const sessions = rows as readonly SessionRecord[];
    const limit = limitOf(query.limit);
    return { sessions: sessions.slice(0, limit), more: sessions.length > limit };
  };

  removeRecords: Journal['removeRecords'] = async ({ user, session, by, knownUnresolved, limit }) => {
    const scope = [toText(user), session === null ? null : toText(session)];
    const values = [...scope, toText(by), knownUnresolved, limitOf(limit)];
    return (await this.#link.call(statements.REMOVE_RECORDS, () => values)) as RemovalResult;
  };

  exportUnresolved: Journal['exportUnresolved'] = async ({ scope, allSessions, knownIds }) => {
    const values = [toText(scope.user), toText(scope.session), allSessions, knownIds.map(toText)];
    return (await this.#write(statements.EXPORT_UNRESOLVED, (me) => [me, ...values])) as CarriedRecords;
  };

  importRecords: Journal['importRecords'] = async (user, records) => {
    const carried = toJson(records);
    // Comes before the workspace uses this journal: whoever carries the records over tells the marker then.
    return (await this.#link.call(statements.IMPORT_RECORDS, (me) => [me, toText(user), carried])) as ImportResult;
  };

  listGrants: Journal['listGrants'] = async (query) => {
    const { text: page, values } = grantsQuery(query);
    return (await this.#rows({ text: page }, values)).map((row) => grantOf(row['result'] as JsonRow));
  };

  revokeGrant: Journal['revokeGrant'] = async (id, by) => {
    const values = [toText(id), toText(by)];
    const grant = await this.#write(statements.REVOKE_GRANT, () => values);
    return grant === null || grant === undefined ? undefined : grantOf(grant as JsonRow);
  };

  trustDefinitions: Journal['trustDefinitions'] = async ({ user, server, definitions, by }) => {
    const rows = definitions.map(({ name, definitionHash }) => ({ name, definition_hash: definitionHash }));
    const values = [toText(user), toText(server), toJson(rows), toText(by)];
    await this.#link.call(statements.TRUST_DEFINITIONS, () => values);
  };

  listTrustedDefinitions: Journal['listTrustedDefinitions'] = async ({ user, server }) =>
    user === this.user
      ? ((await this.#result(statements.LIST_TRUSTED_DEFINITIONS, [toText(server)])) as TrustedDefinition[])
      : [];

  getDecision: Journal['getDecision'] = async (id) =>
    decisionOrNone(await this.#result(statements.GET_DECISION, [toText(id)]));

  listDecisions: Journal['listDecisions'] = async (query) => {
    const rows = await this.#page(query, statements.LIST_DECISIONS, decisionPage(query));
    const limit = limitOf(query.limit);
    return { decisions: rows.slice(0, limit).map(decisionOf), more: rows.length > limit };
  };

  listOpenDecisions: Journal['listOpenDecisions'] = async (user) => {
    const rows = await this.#rows(statements.LIST_OPEN_DECISIONS, [toText(user)]);
    return rows.map((row) => decisionOf(row['result'] as JsonRow));
  };

  getAction: Journal['getAction'] = async (id) => {
    const row = await this.#result(statements.GET_ACTION, [toText(id)]);
    return row === undefined ? undefined : actionOf(row as JsonRow);
  };

  listActions: Journal['listActions'] = async (query) => {
    const rows = await this.#page(query, statements.LIST_ACTIONS, actionPage(query));
    const limit = limitOf(query.limit);
    return { actions: rows.slice(0, limit).map(actionOf), more: rows.length > limit };
  };

  summarize: Journal['summarize'] = async (user) =>
    user === this.user ? summaryOf(user, await this.#result(statements.SUMMARIZE, [])) : { unresolved: [], running: 0 };

  verify: Journal['verify'] = async (user) =>
    user === this.user
      ? verificationOf(await this.#result(statements.VERIFY_RECORDS, []))
      : { pages: 'by_server', actions: 0, decisions: 0, findings: [] };

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { marker, log } = this.#parts;
    try {
      const quiet = await this.#link.close(statements.LEAVE);
      if (quiet === true && marker.read().raised) {
        await marker.lower();
      }
      await this.#pool.close();
    } catch (error) {
      log.warn('journal not closed cleanly', { code: codeOf(error), error: messageOf(error) });
    }
  }

  /**
   * The marker was looked at before the start was written, and a server may take its time. Where it says now that the workspace has gone
   * on in another journal, this start would gate nobody there, so it does not count.
   */
  async #lookAgain({ id, claimId, requestId }: ActionIntent): Promise<void> {
    const { marker, journalId, log } = this.#parts;
    try {
      await marker.raise(journalId);
    } catch (error) {
      const undone = repairsJson([{ as: 'not_executed', actionId: id, claimId, requestId }]);
      await this.#link
        .call(statements.REPAIR, () => [undone])
        .catch((failure: unknown) => {
          log.warn('start not undone', { code: codeOf(failure) });
        });
      throw unavailable(error);
    }
  }

  /** What may leave something open or unresolved: the marker outside says so first. */
  #write(statement: Statement, valuesFor: ValuesFor, place?: Failpoint, options?: CallOptions): Promise<unknown> {
    const { failpoints, marker, journalId } = this.#parts;
    const prepare = async (): Promise<void> => {
      try {
        await marker.raise(journalId);
        if (place !== undefined) {
          failpoints.hit(place);
        }
      } catch (error) {
        throw unavailable(error);
      }
    };
    return this.#link.call(statement, valuesFor, { ...options, prepare });
  }

  /** Nobody is shown what is another's. */
  async #page(
    { user }: { readonly user: string },
    statement: Statement,
    values: readonly unknown[],
  ): Promise<JsonRow[]> {
    return user === this.user ? ((await this.#result(statement, values)) as JsonRow[]) : [];
  }

  async #result(statement: Statement, values: readonly unknown[]): Promise<unknown> {
    const [row] = await this.#rows(statement, values);
    return row?.['result'];
  }

  /** A read sees every write that was called before it. */
  async #rows(
    statement: { readonly name?: string; readonly text: string },
    values: readonly unknown[],
  ): Promise<Record<string, unknown>[]> {
    if (this.#closing !== undefined) {
      throw new HoldfastError('stopped', text('journal.closed'));
    }
    await this.#link.settled();
    return this.#pool.rows(statement, values);
  }
}

/** What was sent again, because its reply was lost, may have found itself there. */
function ownAnswer(result: AnswerResult, { answer, by, from, note, revision }: DecisionAnswer): AnswerResult {
  if (result.kind !== 'too_late') {
    return result;
  }
  const { decision } = result;
  const isOwn =
    decision.state === answer &&
    decision.decidedBy === by &&
    decision.answeredFrom === from &&
    decision.note === note &&
    decision.revision === revision + 1;
  return isOwn ? { kind: 'answered', decision } : result;
}

/** The marker could not be written: nothing may be started that it does not tell of. */
function unavailable(cause: unknown): HoldfastError {
  return HoldfastError.is(cause)
    ? cause
    : new HoldfastError('journal_unavailable', text('journal.unavailable', { code: codeOf(cause) ?? '?' }), { cause });
}
