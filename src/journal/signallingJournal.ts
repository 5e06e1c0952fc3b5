import { HoldfastError } from '../core/errors.ts';
import type { Journal } from './journal.ts';

/** What a write concerns. Whoever waits for deadlines of such records looks again. */
export type JournalTopic =
  /** When a claim is stale, and whether one is open. */
  | 'claims'
  /** Decisions, and when they expire. */
  | 'decisions'
  /** A stale claim was settled. */
  | 'settlements';

/** Tells of a write that may have moved a deadline. */
export interface JournalSignal {
  readonly topic: JournalTopic;
  /** How soon what was written falls due, in milliseconds; null where that is not known or nothing does. */
  readonly dueInMs: number | null;
  /** Which duty wrote it; null for everybody else. */
  readonly from: string | null;
}

type Operations = Omit<Required<Journal>, 'close' | 'leaseMs' | 'onOthersWrote'>;
type Operation = keyof Operations;
type Result<Name extends Operation> = Awaited<ReturnType<Operations[Name]>>;
type Moves = readonly Omit<JournalSignal, 'from'>[];

/** @param answer null where nobody knows whether the write landed: then it counts as written. */
type Concern<Name extends Operation> = (
  answer: { readonly result: Result<Name> } | null,
  ...parameters: Parameters<Operations[Name]>
) => Moves;

const nothing = (): Moves => [];
const claims = (dueInMs: number | null = null): Moves => [{ topic: 'claims', dueInMs }];
const decisions = (dueInMs: number | null = null): Moves => [{ topic: 'decisions', dueInMs }];
const settlements = (): Moves => [...claims(), ...decisions(), { topic: 'settlements', dueInMs: null }];
/** There may be no such decision. */
const changed = (answer: { readonly result: unknown } | null): Moves =>
  answer !== null && answer.result === undefined ? [] : decisions();

/**
 * What each operation signals. An operation that is not in this table does not compile, so none can be forgotten; and it looks only at
 * what was asked and answered, so it costs no statement (C10).
 */
const CONCERNS: { readonly [Name in Operation]: Concern<Name> } = {
  registerSession: nothing,
  startAction: (answer, { staleAfterMs, requestId, repairs }) => {
    const started = answer === null || answer.result.kind === 'started';
    return [
      ...(started ? claims(staleAfterMs) : repairs.length > 0 ? claims() : []),
      ...((started && requestId !== null) || repairs.length > 0 ? decisions() : []),
    ];
  },
  repair: (_, repairs) => (repairs.length > 0 ? [...claims(), ...decisions()] : []),
  settleAction: () => claims(),
  appendEvidence: nothing,
  openRecoveryReview: (answer) => (answer === null || answer.result.kind === 'opened' ? decisions() : []),
  openReplayReview: (answer) => (answer === null || answer.result.kind === 'opened' ? decisions() : []),
  listNamedActions: nothing,
  openQuestion: (_, { expiresInMs }) => decisions(expiresInMs),
  releaseRun: (answer) =>
    answer?.result.kind === 'released' && answer.result.cancelled.length === 0 ? [] : decisions(),
  openRequest: (_, { expiresInMs }) => decisions(expiresInMs),
  // What is recorded as denied was never open.
  recordDenial: nothing,
  reopenDenial: nothing,
  answerDecision: (answer) => (answer?.result.kind === 'missing' ? [] : decisions()),
  cancelDecision: (answer) => changed(answer),
  // Deadlines only move away with it. Whoever waits for the old one finds the new one then.
  renewClaims: nothing,
  listClaims: nothing,
  settleStaleClaim: (answer) => (answer?.result.kind === 'left_alone' ? [] : settlements()),
  settleStaleClaims: (answer) =>
    answer === null || answer.result.some(({ kind }) => kind === 'settled') ? settlements() : [],
  listExpiringDecisions: nothing,
  expireDecision: (answer) => changed(answer),
  takeOver: (answer) => [
    ...(answer === null || answer.result.interrupted.length > 0 ? claims() : []),
    ...(answer === null || answer.result.changed.length > 0 ? decisions() : []),
  ],
  prune: nothing,
  listSessions: nothing,
  // What goes has no deadline any more, and nothing of it may run.
  removeRecords: nothing,
  exportUnresolved: nothing,
  importRecords: (answer) => (answer?.result.imported === 0 ? [] : [...claims(), ...decisions()]),
  listGrants: nothing,
  revokeGrant: nothing,
  trustDefinitions: nothing,
  listTrustedDefinitions: nothing,
  getDecision: nothing,
  listDecisions: nothing,
  listOpenDecisions: nothing,
  getAction: nothing,
  listActions: nothing,
  summarize: nothing,
  verify: nothing,
};

/**
 * The journal, telling of every write that may have moved a deadline: after the commit and before its caller goes on, never for what was
 * refused or rolled back (C11). Whoever writes to a journal gets it from here, so that no place that writes can forget to tell.
 *
 * @param hear must not throw.
 * @param from the duty that writes through it; null for everybody else.
 */
export function signalling(journal: Journal, hear: (signal: JournalSignal) => void, from: string | null): Journal {
  const tellOf = <Name extends Operation>(name: Name): readonly [Name, Operations[Name]] => {
    const concern = CONCERNS[name] as Concern<Name>;
    const tell = (answer: { readonly result: Result<Name> } | null, parameters: Parameters<Operations[Name]>): void => {
      for (const move of concern(answer, ...parameters)) {
        hear({ ...move, from });
      }
    };
    const run = journal[name] as (...parameters: Parameters<Operations[Name]>) => Promise<Result<Name>>;
    // Called in the same turn: that is what lets the journal write together what belongs to one turn.
    const told = (...parameters: Parameters<Operations[Name]>): Promise<Result<Name>> =>
      run.apply(journal, parameters).then(
        (result) => {
          tell({ result }, parameters);
          return result;
        },
        (error: unknown) => {
          if (HoldfastError.is(error, 'journal_unavailable')) {
            tell(null, parameters);
          }
          throw error;
        },
      );
    return [name, told as Operations[Name]];
  };
  // A journal that does without an operation goes on doing without it.
  const names = (Object.keys(CONCERNS) as Operation[]).filter((name) => journal[name] !== undefined);
  const operations = Object.fromEntries(names.map((name) => tellOf(name)));
  return {
    ...(operations as unknown as Omit<Journal, 'close' | 'leaseMs' | 'onOthersWrote'>),
    ...(journal.leaseMs === undefined ? {} : { leaseMs: journal.leaseMs }),
    ...(journal.onOthersWrote === undefined ? {} : { onOthersWrote: journal.onOthersWrote }),
    close: () => journal.close(),
  };
}
