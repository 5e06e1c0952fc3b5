import { untilAborted } from '../core/abort.ts';
import { HoldfastError, codeOf, describe } from '../core/errors.ts';
import type { Clock } from '../core/clock.ts';
import type { Decision } from '../core/decision.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import { toolLabel, type Found, type Tool, type ToolFinder } from '../core/tool.ts';
import { GateWaits, type GateFigures } from '../decisions/gateWaits.ts';
import type { Inbox } from '../decisions/inbox.ts';
import type { Permissions } from '../decisions/permissions.ts';
import type { ArgumentHasher } from '../journal/argumentHash.ts';
import type { Journal } from '../journal/journal.ts';
import { Answers } from './answers.ts';
import type { CallAnswer, CallRequest } from './call.ts';
import { Drain } from './drain.ts';
import { ExecutionContext } from './executionContext.ts';
import { Mutations, PAUSE, type Mutation } from './mutations.ts';

/** An open journal and the key that arguments are hashed with. */
export interface OpenJournal {
  readonly journal: Journal;
  readonly hasher: ArgumentHasher;
}

export interface BridgeOptions {
  readonly tools: readonly Tool[];
  /** Where a tool is looked for that is not among those. */
  readonly moreTools?: ToolFinder;
  readonly permissions: Permissions;
  readonly inbox: Inbox;
  /**
   * Opens the journal if need be; the same object as long as it is the same one. Rejects with a HoldfastError while it can't be
   * opened. Asked by each mutation.
   */
  readonly openJournal: () => Promise<OpenJournal>;
  /** How long after its last renewal a claim is stale, in milliseconds. */
  readonly staleAfterMs: () => number;
  /** Hears how an action ended whose caller was answered while it still ran. */
  readonly onLateEnd?: (answer: CallAnswer) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/**
 * One call's way from its surface to the journal and back (DESIGN 3). Reads go straight to their body; everything else is a mutation, and takes
 * the way in mutations.ts.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #answers: Answers;
  readonly #drain: Drain;
  readonly #waits: GateWaits;
  #mutations: { readonly journal: Journal; readonly on: Mutations } | undefined;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#answers = new Answers(options.say, options.clock);
    this.#drain = new Drain(options.clock);
    this.#waits = new GateWaits(options.clock);
  }

  /** Never rejects: every call gets an answer (P9). */
  async call(request: CallRequest): Promise<CallAnswer> {
    try {
      return await this.#call(request);
    } catch (error) {
      // Nothing was started: from the start on a mutation answers for itself.
      return this.#refusal(error);
    }
  }

  /** From now on no mutation starts, until {@link resume}. What runs goes on to its end, and reads go on (P7). */
  pause(): void {
    this.#drain.pause();
  }

  resume(): void {
    this.#drain.resume();
  }

  /** How calls of this window have waited behind reviews. */
  get gateFigures(): GateFigures {
    return this.#waits.figures;
  }

  /** Whether a call of this window runs, also in the background, or waits for somebody. */
  get isBusy(): boolean {
    return this.#drain.isBusy;
  }

  /**
   * Takes no more calls, stops what runs, also in the background, and waits until each end is recorded, that of a body that does not end in time
   * as unknown. The journal is closed by its owner, afterwards.
   */
  async stop(): Promise<void> {
    await this.#drain.stop();
    await this.writeRepairs();
  }

  /** Writes what failed writes left half known, before somebody reads the journal. */
  async writeRepairs(): Promise<void> {
    await this.#mutations?.on.writeRepairs();
  }

  /**
   * Renews the claims of all that runs. It does so by itself; for whoever wakes up and is about to look for stale ones.
   *
   * @throws HoldfastError when they could not be renewed.
   */
  async renewClaims(): Promise<void> {
    await this.#mutations?.on.renewClaims();
  }

  async #call(request: CallRequest): Promise<CallAnswer> {
    const { say, permissions } = this.#options;
    const givenUp = AbortSignal.any([request.cancelled, this.#drain.stopping]);
    const tool = await this.#find(request, givenUp);
    if (tool === undefined && !givenUp.aborted) {
      return this.#answers.refused('unknown_tool', say('refused.unknownTool', { tool: toolLabel(request.tool) }));
    }
    if (tool === undefined || this.#drain.stopping.aborted) {
      return this.#answers.givenUp(this.#drain.stopping.aborted);
    }
    if ('problem' in tool) {
      return this.#answers.refused('tool_unavailable', say('refused.toolUnavailable', { problem: tool.problem }));
    }
    const checked = tool.validate(request.input);
    if (!checked.ok) {
      return this.#answers.refused('invalid_input', say('refused.invalidInput', { problem: checked.problem }));
    }
    const subject = tool.ruleSubject?.(checked.input);
    const permission = permissions.evaluate(tool.identity, request.caller.surface, subject);
    if (permission.effect === 'deny') {
      return this.#deny(tool, request, permission.by);
    }
    if (tool.readOnly || tool.orchestrates === true) {
      return this.#read(tool, checked.input, request);
    }
    if (this.#drain.isPaused) {
      const record = await this.#recordDenial(tool, request, PAUSE);
      return this.#answers.paused(record?.id ?? null);
    }
    const answer = this.#mutate({ tool, input: checked.input, request, permission, givenUp });
    this.#drain.hold(answer);
    return answer;
  }

  /** One that must be looked for is looked for as long as its caller waits. */
  async #find({ tool: { server, name } }: CallRequest, givenUp: AbortSignal): Promise<Found> {
    const { tools, moreTools } = this.#options;
    const own = tools.find(({ identity }) => identity.server === server && identity.name === name);
    return own ?? (await moreTools?.find({ server, name }, givenUp));
  }

  /** Known read-only, or Holdfast's own orchestration: never journaled, gated or delayed (P7). */
  async #read(tool: Tool, input: unknown, { caller, cancelled, onProgress }: CallRequest): Promise<CallAnswer> {
    const context = new ExecutionContext({
      scope: caller.scope,
      actionId: null,
      cancelled,
      onProgress,
      stopping: this.#drain.stopping,
    });
    try {
      return this.#answers.read(await tool.run(input, context));
    } finally {
      context.close();
    }
  }

  /** A denial is a record, but for a read (P7); and it does not depend on a journal that can be written. */
  async #deny(tool: Tool, request: CallRequest, rule: string): Promise<CallAnswer> {
    const { say } = this.#options;
    const values = { tool: toolLabel(tool.identity), rule };
    if (tool.readOnly || tool.orchestrates === true) {
      return this.#answers.refused('denied_by_rule', say('refused.deniedByRule', values));
    }
    const record = await this.#recordDenial(tool, request, rule);
    const text =
      record === undefined
        ? say('refused.deniedByRule', values)
        : say('refused.deniedByRule.recorded', { ...values, id: record.id });
    return this.#answers.refused('denied_by_rule', text);
  }

  /** Undefined when it could not be recorded, or nobody waits for it any more. */
  async #recordDenial(tool: Tool, request: CallRequest, by: string): Promise<Decision | undefined> {
    const givenUp = AbortSignal.any([request.cancelled, this.#drain.stopping]);
    const recording = this.#openMutations()
      .then((mutations) => mutations.denied(tool, request, by))
      .catch((error: unknown) => {
        this.#options.log.warn('denial not recorded', { code: codeOf(error) });
        return undefined;
      });
    this.#drain.hold(recording);
    return await untilAborted(recording, givenUp);
  }

  async #mutate(mutation: Mutation): Promise<CallAnswer> {
    const { tool, input, givenUp } = mutation;
    const problem = await tool.preflight?.(input, givenUp);
    if (problem !== undefined && !givenUp.aborted) {
      return this.#answers.refused('invalid_input', this.#options.say('refused.invalidInput', { problem }));
    }
    const mutations = givenUp.aborted ? undefined : await untilAborted(this.#openMutations(), givenUp);
    return mutations?.call(mutation) ?? this.#answers.givenUp(this.#drain.stopping.aborted);
  }

  /** A journal that could not be opened is tried again by the next mutation; another one than before is a way of its own. */
  async #openMutations(): Promise<Mutations> {
    const open = await this.#options.openJournal();
    if (this.#mutations?.journal !== open.journal) {
      const options = {
        ...this.#options,
        ...open,
        answers: this.#answers,
        waits: this.#waits,
        stopping: this.#drain.stopping,
        hold: this.#drain.hold,
        abandoning: this.#drain.abandoning,
        isPaused: () => this.#drain.isPaused,
        onLateEnd: this.#options.onLateEnd ?? (() => {}),
      };
      this.#mutations = { journal: open.journal, on: new Mutations(options) };
    }
    return this.#mutations.on;
  }

  #refusal(error: unknown): CallAnswer {
    const { say, log } = this.#options;
    const code = HoldfastError.is(error) ? error.code : 'internal';
    log.warn('call refused by a fault', { code });
    const cause = describe(error, say);
    if (code === 'not_json') {
      return this.#answers.refused('invalid_input', say('refused.invalidInput', { problem: cause }));
    }
    return code === 'internal'
      ? this.#answers.refused('internal', say('refused.fault', { cause }))
      : this.#answers.refused('journal_unavailable', say('refused.journalUnavailable', { cause }));
  }
}
