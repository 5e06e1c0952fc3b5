import type { Clock } from '../core/clock.ts';
import type { CancelReason, Decision, WaitingCall } from '../core/decision.ts';
import { codeOf } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import { scopeKey } from '../core/scope.ts';
import type { Tool } from '../core/tool.ts';
import type { Inbox } from '../decisions/inbox.ts';
import type { Permission, Permissions } from '../decisions/permissions.ts';
import type { GateWaits } from '../decisions/gateWaits.ts';
import type { GatedCall } from '../decisions/hold.ts';
import { RecoveryGate } from '../decisions/recoveryGate.ts';
import { findGrant } from '../decisions/grants.ts';
import { Requests, type RequestEnd } from '../decisions/requests.ts';
import type { ArgumentHasher } from '../journal/argumentHash.ts';
import type { ActionIntent, Denial, Journal, Repair } from '../journal/journal.ts';
import type { Answers } from './answers.ts';
import type { CallAnswer, Caller, CallRequest } from './call.ts';
import { ClaimRenewal } from './claimRenewal.ts';
import { execute, type StartedMutation } from './execution.ts';
import { Repairs } from './repairs.ts';
import { ReviewWords } from './reviewWords.ts';
import { SessionQueue, type PostResult, type QueueResult } from './sessionQueue.ts';

export interface MutationsOptions {
  readonly journal: Journal;
  readonly hasher: ArgumentHasher;
  readonly permissions: Permissions;
  readonly inbox: Inbox;
  readonly waits: GateWaits;
  readonly staleAfterMs: () => number;
  readonly clock: Clock;
  readonly answers: Answers;
  readonly stopping: AbortSignal;
  /** Aborted when nobody waits any longer for bodies that were told to stop. */
  readonly abandoning: AbortSignal;
  /** A person has paused: nothing may start. */
  readonly isPaused: () => boolean;
  /** Holds on to an execution until its end is recorded; its call may have been answered long before. */
  readonly hold: (execution: Promise<void>) => void;
  /** Hears how an action ended whose caller had its answer before. */
  readonly onLateEnd: (answer: CallAnswer) => void;
  readonly log: Log;
  readonly say: Say;
}

/** A checked call of a tool that may change the world. */
export interface Mutation {
  readonly tool: Tool;
  readonly input: unknown;
  readonly request: CallRequest;
  readonly permission: Permission;
  /** The caller gives up, or Holdfast stops: before the start nobody waits any longer. */
  readonly givenUp: AbortSignal;
}

/** What stands for a rule in the record of a call that was refused because a person has paused. */
export const PAUSE = 'pause';

/** What allows a call, as its row says it. */
interface Allowance {
  readonly allowedBy: string;
  readonly requestId: string | null;
  readonly grantId: string | null;
}

/** Why a call was not started. */
type QueueEnd = Exclude<QueueResult, { kind: 'started' }>;

/** Why the approved request of a call that was not started ends. */
const cancelReasons: Readonly<Record<QueueEnd['kind'], CancelReason>> = {
  recovery_denied: 'recovery_denied',
  recovery_denied_before: 'recovery_denied',
  recovery_needed: 'not_started',
  session_removed: 'session_removed',
  already_attempted: 'not_started',
  not_permitted: 'not_started',
  paused: 'not_started',
  cancelled: 'caller_gone',
  stopping: 'caller_gone',
};

/** A mutation's way: permission, its session's queue and gate, the durable start, the execution. */
export class Mutations {
  readonly #options: MutationsOptions;
  readonly #gate: RecoveryGate;
  readonly #repairs = new Repairs();
  readonly #renewal: ClaimRenewal;
  readonly #requests: Requests;
  readonly #words: ReviewWords;
  readonly #queues = new Map<string, Promise<SessionQueue>>();

  constructor(options: MutationsOptions) {
    this.#options = options;
    this.#requests = new Requests(options.journal, options.inbox);
    this.#gate = new RecoveryGate(options.journal, options.inbox, options.stopping);
    this.#renewal = new ClaimRenewal(options);
    this.#words = new ReviewWords(options.say, options.clock);
  }

  /** @throws HoldfastError when the start cannot be acknowledged: the body was not called (P1). */
  async call(mutation: Mutation): Promise<CallAnswer> {
    const { tool, input, request, givenUp } = mutation;
    const call: GatedCall = {
      attended: request.caller.attended,
      waiting: this.#waiting(tool, request),
      description: tool.describe(input),
    };
    const allowance = await this.#allow(mutation, call);
    if ('outcome' in allowance) {
      return allowance;
    }
    const queue = await this.#queueFor(request.caller);
    const intent = this.#intent(request, call, allowance);
    const post = this.#postOf(intent, request.isCurrent);
    const result = await this.#start(queue, { intent, post }, call, givenUp);
    if (result.kind !== 'started') {
      await this.#endUnusedRequest(intent, result.kind);
      return this.#notStarted(result, await this.#recordDenied(intent, result));
    }
    const { description } = call;
    const { identicalCompletedAt } = result;
    const { grantId } = allowance;
    const found = this.#words.ofApproved(result.reviews);
    return await this.#execute({ tool, input, request, intent, grantId, description, identicalCompletedAt, found });
  }

  /** A rule denied the call: a record of its own, which its refusal names. */
  async denied(tool: Tool, request: CallRequest, rule: string): Promise<Decision> {
    const { scope, attended } = request.caller;
    const waiting = this.#waiting(tool, request);
    await this.#queueFor(request.caller);
    return await this.#options.journal.recordDenial({ id: newId(), scope, attended, waiting, by: { rule } });
  }

  /** Writes what failed writes left half known, if the journal takes it now. */
  async writeRepairs(): Promise<void> {
    try {
      await this.#repairs.write(this.#options.journal);
    } catch (error) {
      this.#options.log.warn('repairs not written', { code: codeOf(error) });
    }
  }

  /** Renews the claims of all that runs. @throws HoldfastError when they could not be renewed. */
  renewClaims(): Promise<void> {
    return this.#renewal.renew();
  }

  /** The answer: how it ended; or, before that, what a body says that goes on without its caller. */
  #execute(started: Omit<StartedMutation, 'onEarlyAnswer'>): Promise<CallAnswer> {
    const { answers, hold, onLateEnd } = this.#options;
    return new Promise((resolve, reject) => {
      const early = { given: false };
      const { intent, identicalCompletedAt, found } = started;
      const onEarlyAnswer = (toolText: string): void => {
        early.given = true;
        resolve(answers.running({ actionId: intent.id, toolText, identicalCompletedAt, found }));
      };
      const running = this.#renewal.begin(started.intent.staleAfterMs);
      const execution = execute({ ...started, onEarlyAnswer }, { ...this.#options, repairs: this.#repairs });
      const answered = execution.then((ended) => {
        running.dispose();
        const answer = answers.ended(ended);
        resolve(answer);
        if (early.given) {
          onLateEnd(answer);
        }
      });
      hold(answered.catch(reject));
    });
  }

  #waiting({ identity, definitionHash }: Tool, { input }: CallRequest): WaitingCall {
    return { tool: identity, definitionHash, argumentHash: this.#options.hasher.hash(input) };
  }

  /** *Allow* needs nobody; *ask* needs a grant, or opens a request and waits for its answer. */
  async #allow({ tool, permission, request, givenUp }: Mutation, call: GatedCall): Promise<Allowance | CallAnswer> {
    if (permission.effect === 'allow') {
      return { allowedBy: permission.by, requestId: null, grantId: null };
    }
    const { scope, surface, agent } = request.caller;
    // The session's row comes first: a request belongs to a session.
    await this.#queueFor(request.caller);
    const grantable = !permission.ofCall;
    const found = grantable ? await findGrant(this.#options.journal, scope, tool) : undefined;
    if (found?.grant !== undefined) {
      return { allowedBy: `grant:${found.grant.id}`, requestId: null, grantId: found.grant.id };
    }
    const definitionChanged = found?.definitionChanged ?? false;
    const terms = { askedBy: permission.by, surface, agent, grantable, definitionChanged };
    const end = await this.#requests.ask({ ...call, scope, terms }, givenUp);
    if (givenUp.aborted) {
      return this.#notStarted({ kind: 'cancelled' }, null);
    }
    return end.decision.state === 'approved'
      ? { allowedBy: `decision:${end.decision.id}`, requestId: end.decision.id, grantId: null }
      : this.#notAllowed(end);
  }

  #notAllowed({ decision: { id, state, note, cancelReason }, deniedBefore }: RequestEnd): CallAnswer {
    const { answers, say } = this.#options;
    if (state === 'open') {
      return answers.refused('permission_needed', say('refused.permissionNeeded', { id }));
    }
    if (cancelReason === 'session_removed') {
      return answers.refused('session_removed', say('refused.sessionRemoved'));
    }
    if (state !== 'denied') {
      return answers.refused('request_ended', say('refused.requestEnded', { id }));
    }
    const text = say(deniedBefore ? 'refused.deniedBefore' : 'refused.deniedByPerson', { id });
    return answers.refused('denied_by_person', note === null ? text : `${text}\n\n${say('refused.note', { note })}`);
  }

  /** The queue of the caller's scope. Its first use makes the session known to the journal. */
  #queueFor({ scope, surface, sessionCreatedAt }: Caller): Promise<SessionQueue> {
    const key = scopeKey(scope);
    const known = this.#queues.get(key);
    if (known !== undefined) {
      return known;
    }
    const { journal, clock } = this.#options;
    const ageMs = clock.now() - sessionCreatedAt;
    const queue = journal
      .registerSession({ scope, surface, ageMs: ageMs < 0 ? null : ageMs })
      .then(() => new SessionQueue(scope, this.#gate, this.#options.waits));
    this.#queues.set(key, queue);
    queue.catch(() => this.#queues.delete(key));
    return queue;
  }

  #intent({ caller, run }: CallRequest, { waiting }: GatedCall, { allowedBy, requestId }: Allowance): ActionIntent {
    return {
      id: newId(),
      claimId: newId(),
      scope: caller.scope,
      surface: caller.surface,
      agent: caller.agent,
      attended: caller.attended,
      ...waiting,
      hashKeyId: this.#options.hasher.keyId,
      staleAfterMs: this.#options.staleAfterMs(),
      allowedBy,
      requestId,
      parentActionId: null,
      externalCallId: caller.externalCallId,
      run: run ?? null,
      repairs: [],
    };
  }

  async #start(
    queue: SessionQueue,
    { intent, post }: { readonly intent: ActionIntent; readonly post: () => Promise<PostResult> },
    call: GatedCall,
    givenUp: AbortSignal,
  ): Promise<QueueResult> {
    try {
      return await queue.start(post, call, givenUp);
    } catch (error) {
      if (intent.requestId !== null) {
        // Wherever it failed: nothing will use the request any more.
        this.#repairs.add(neverRan(intent));
      }
      throw error;
    }
  }

  /** An approval is for one call. One that does not start leaves none behind that nothing will ever use. */
  async #endUnusedRequest(intent: ActionIntent, end: QueueEnd['kind']): Promise<void> {
    if (intent.requestId === null) {
      return;
    }
    try {
      await this.#options.inbox.cancel(intent.requestId, cancelReasons[end]);
    } catch (error) {
      this.#options.log.warn('request not ended', { decision: intent.requestId, code: codeOf(error) });
      this.#repairs.add(neverRan(intent));
    }
  }

  /**
   * A review's denial is one of every call that waited behind it, so that none of them is asked for again (G16).
   *
   * @returns the record's id; null where there is none.
   */
  async #recordDenied({ scope, attended, ...call }: ActionIntent, end: QueueEnd): Promise<string | null> {
    const waiting = { tool: call.tool, definitionHash: call.definitionHash, argumentHash: call.argumentHash };
    const by = deniedBy(end, waiting);
    if (by === undefined) {
      return null;
    }
    try {
      return (await this.#options.journal.recordDenial({ id: newId(), scope, attended, waiting, by })).id;
    } catch (error) {
      this.#options.log.warn('denial not recorded', { end: end.kind, code: codeOf(error) });
      return null;
    }
  }

  #postOf(intent: ActionIntent, isCurrent: CallRequest['isCurrent']): () => Promise<PostResult> {
    return isCurrent === undefined
      ? () => this.#postStart(intent)
      : async () => ((await isCurrent()) ? this.#postStart(intent) : { kind: 'cancelled' });
  }

  async #postStart(intent: ActionIntent): Promise<PostResult> {
    if (this.#options.isPaused()) {
      return { kind: 'paused' };
    }
    const repairs = this.#repairs.pending;
    try {
      const result = await this.#options.journal.startAction({ ...intent, repairs });
      this.#repairs.written(repairs);
      this.#options.log.trace('start answered', { action: intent.id, result: result.kind });
      return result;
    } catch (error) {
      // The intent may have reached the disk all the same. The body is not called, and the row is told so.
      this.#repairs.add(neverRan(intent));
      throw error;
    }
  }

  #recoveryDenied(review: Decision): string {
    const text = this.#options.say('refused.recoveryDenied', { id: review.id });
    return [text, this.#words.ofDenied(review)].filter((part) => part !== '').join('\n\n');
  }

  /** @param recordId of the record of this refusal, if it has one of its own. */
  #notStarted(result: QueueEnd, recordId: string | null): CallAnswer {
    const { answers, say } = this.#options;
    switch (result.kind) {
      case 'already_attempted':
        return answers.sentBefore(result.action);
      case 'not_permitted':
        return answers.refused('request_ended', say('refused.requestUsed', { state: result.requestState }));
      case 'recovery_denied':
        return answers.refused('recovery_denied', this.#recoveryDenied(result.decision));
      case 'recovery_denied_before':
        return answers.refused('recovery_denied', say('refused.recoveryDeniedBefore', { id: result.decision.id }));
      case 'recovery_needed':
        return answers.refused('recovery_needed', say('refused.recoveryNeeded', { id: result.decision.id }));
      case 'session_removed':
        return answers.refused('session_removed', say('refused.sessionRemoved'));
      case 'paused':
        return answers.paused(recordId);
      case 'cancelled':
      case 'stopping':
        return answers.givenUp(this.#options.stopping.aborted);
    }
  }
}

/** What the record of a refusal names; undefined where it needs none of its own. */
function deniedBy(end: QueueEnd, waiting: WaitingCall): Denial['by'] | undefined {
  if (end.kind === 'paused') {
    return { rule: PAUSE };
  }
  return end.kind === 'recovery_denied' && !isSameCall(end.decision.waiting, waiting)
    ? { review: end.decision.id }
    : undefined;
}

function isSameCall(one: WaitingCall | null, other: WaitingCall): boolean {
  return (
    one !== null &&
    one.tool.server === other.tool.server &&
    one.tool.name === other.tool.name &&
    one.definitionHash === other.definitionHash &&
    one.argumentHash === other.argumentHash
  );
}

function neverRan({ id: actionId, claimId, requestId }: ActionIntent): Repair {
  return { as: 'not_executed', actionId, claimId, requestId };
}
