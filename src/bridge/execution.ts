import { untilAborted } from '../core/abort.ts';
import type { Verdict } from '../core/action.ts';
import { HoldfastError, codeOf, describe, identityOf, messageOf } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import type { Tool, ToolResult } from '../core/tool.ts';
import { isGranted } from '../decisions/grants.ts';
import type { Permissions } from '../decisions/permissions.ts';
import type { ActionIntent, EvidenceNote, Journal, SettleResult } from '../journal/journal.ts';
import type { Ended } from './answers.ts';
import type { CallRequest } from './call.ts';
import { classify, type Ending } from './classification.ts';
import { ExecutionContext } from './executionContext.ts';
import type { Repairs } from './repairs.ts';

export interface ExecutionOptions {
  readonly journal: Journal;
  readonly repairs: Repairs;
  readonly permissions: Permissions;
  readonly stopping: AbortSignal;
  /** Aborted when nobody waits any longer for bodies that were told to stop. */
  readonly abandoning: AbortSignal;
  readonly log: Log;
  readonly say: Say;
}

/** A mutation whose `started` row is an acknowledged write. */
export interface StartedMutation {
  readonly tool: Tool;
  readonly input: unknown;
  readonly request: CallRequest;
  readonly intent: ActionIntent;
  /** The grant that allowed it; null where something else did. */
  readonly grantId: string | null;
  /** What a person was told would run. */
  readonly description: string;
  readonly identicalCompletedAt: number | null;
  /** What the person said whose approval the call waited for; empty if nothing. */
  readonly found: string;
  /** Hears what the caller is answered before the end, if the body lets it go on (`ToolCall.answerEarly`). */
  readonly onEarlyAnswer: (text: string) => void;
}

type BodyEnd = Pick<Ended, 'verdict' | 'toolText' | 'returned' | 'detail' | 'rule'>;

/**
 * Runs the body of a started mutation, classifies what was observed and records it: steps 6 to 8 of a call's way. Never
 * rejects: whatever goes wrong, the row gets an outcome, or counts as orphaned.
 */
export async function execute(started: StartedMutation, options: ExecutionOptions): Promise<Ended> {
  const { intent, request } = started;
  const { journal, log } = options;
  let ended = false;
  const context = new ExecutionContext({
    scope: intent.scope,
    actionId: intent.id,
    cancelled: request.cancelled,
    stopping: options.stopping,
    onProgress: request.onProgress,
    onEarlyAnswer: started.onEarlyAnswer,
    onEvidence: (note) => {
      if (ended || note.evidence.kind === 'process') {
        keepAtOnce(journal, intent.id, note, log);
      }
    },
    onKeep: (note) => keep(journal, intent.id, note, log),
  });
  let end: BodyEnd;
  try {
    end = (await lateRefusal(started, options, context)) ?? (await runBody(started, context, options));
  } catch (error) {
    log.error('body could not be classified', { action: intent.id, error: identityOf(error).name });
    end = { ...silent, verdict: { outcome: 'uncertain', reason: 'unplaced' } };
  } finally {
    ended = true;
    context.close();
  }
  log.trace('body ended', { action: intent.id, outcome: end.verdict.outcome, reason: end.verdict.reason });
  const recorded = await settle(started, end.verdict, context.notes, options);
  const { identicalCompletedAt, found } = started;
  return { ...end, actionId: intent.id, identicalCompletedAt, found, recorded };
}

const silent = { toolText: '', detail: '', rule: '' };

/** What is read once more after the intent row (P5): from here on a refusal is a row. */
async function lateRefusal(
  { tool, input, request, intent, grantId, description }: StartedMutation,
  { journal, permissions, log, say }: ExecutionOptions,
  context: ExecutionContext,
): Promise<BodyEnd | undefined> {
  const changed = (rule: string): BodyEnd => {
    return { ...silent, verdict: { outcome: 'not_executed', reason: 'permission_changed' }, rule };
  };
  const permission = permissions.evaluate(tool.identity, request.caller.surface, tool.ruleSubject?.(input));
  const { effect, by, ofCall } = permission;
  if (effect === 'deny' || (effect === 'ask' && intent.requestId === null && (grantId === null || ofCall))) {
    return changed(by);
  }
  if (effect === 'ask' && grantId !== null) {
    // A grant that cannot be read is none.
    const holds = await isGranted(journal, intent.scope, tool, grantId).catch((error: unknown) => {
      log.warn('grant not read', { grant: grantId, code: codeOf(error) });
      return false;
    });
    if (!holds) {
      return changed(say('grant.ended'));
    }
  }
  const { stopCause } = context;
  if (stopCause !== null) {
    const ending: Ending = { kind: 'returned', observed: { kind: 'stopped', cause: stopCause } };
    return { ...silent, verdict: classify(ending, context.state) };
  }
  if (tool.describe(input) !== description) {
    const verdict: Verdict = { outcome: 'not_executed', reason: 'refused_by_tool' };
    return { ...silent, verdict, detail: say('refused.changedMeanwhile') };
  }
  return undefined;
}

async function runBody(
  { tool, input }: StartedMutation,
  context: ExecutionContext,
  { abandoning, say }: ExecutionOptions,
): Promise<BodyEnd> {
  let ending: Ending;
  let toolText = '';
  let returned: Pick<Ended, 'returned'> = {};
  let detail = '';
  try {
    // A tool may break its promise of a shape as well as any other.
    const running: Promise<Partial<ToolResult> | undefined> = tool.run(input, context);
    const result = await untilAborted(running, abandoning);
    if (abandoning.aborted && result === undefined) {
      return { ...silent, verdict: { outcome: 'uncertain', reason: 'stopped_by_host' } };
    }
    toolText = typeof result?.text === 'string' ? result.text : '';
    ending = result?.observed === undefined ? { kind: 'unplaced' } : { kind: 'returned', observed: result.observed };
    returned = ending.kind === 'returned' ? { returned: { text: toolText, observed: ending.observed } } : {};
  } catch (error) {
    ending = { kind: 'threw', ownRefusal: context.isOwnRefusal(error) };
    detail = describe(error, say);
    context.evidence({ kind: 'error', ...identityOf(error) });
  }
  return { verdict: classify(ending, context.state), toolText, ...returned, detail, rule: '' };
}

async function settle(
  { intent }: StartedMutation,
  verdict: Verdict,
  notes: readonly EvidenceNote[],
  { journal, repairs, log }: ExecutionOptions,
): Promise<SettleResult | Error> {
  const { id: actionId, claimId } = intent;
  try {
    return await journal.settleAction({ actionId, claimId, verdict, notes });
  } catch (error) {
    // The output still goes back. The row is not written again when the disk recovers (P3): it counts as orphaned.
    repairs.add({ actionId, claimId, noteId: newId(), as: 'orphan' });
    log.warn('completion not recorded', { action: actionId, code: HoldfastError.is(error) ? error.code : 'internal' });
    return error instanceof Error ? error : new Error(messageOf(error));
  }
}

/**
 * Does not wait for the end: a process's identity is of use only if it is on disk when its owner dies, and after the end, such as for a
 * late answer, nothing else will write it.
 */
function keepAtOnce(journal: Journal, actionId: string, note: EvidenceNote, log: Log): void {
  void keep(journal, actionId, note, log);
}

async function keep(journal: Journal, actionId: string, note: EvidenceNote, log: Log): Promise<void> {
  try {
    await journal.appendEvidence(actionId, [note]);
  } catch (error) {
    // Settling writes the note again, so a failure here loses nothing; its id makes the second time harmless.
    log.warn('evidence not yet recorded', { action: actionId, code: codeOf(error) });
  }
}
