import type { ActionRecord } from '../core/action.ts';
import { howItEnded } from '../core/actionText.ts';
import type { Evidence } from '../core/evidence.ts';
import { foundText } from '../core/foundText.ts';
import { timeOfId } from '../core/ids.ts';
import { lostTogether } from '../core/lostTogether.ts';
import { pointInTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import type { Attention } from '../decisions/inbox.ts';
import { survivingProcess } from '../tools/shell/survivingProcess.ts';

/** One action in a sentence: `holdfast.runCommand at 10:42 (unknown: stopped at its time limit)`. */
export function actionText(action: ActionRecord, say: Say, now: number): string {
  const ending = howItEnded(action, say);
  const pid = survivingProcess(action, process.platform);
  return say('review.action', {
    tool: plainText(toolLabel(action.tool)),
    time: pointInTime(action.startedAt, now),
    ending: pid === undefined ? ending : say('commands.endingAlive', { ending, pid }),
  });
}

/**
 * The notification's text for a decision: names the earlier tool and why it is unknown, and what waits.
 *
 * @param now for times: milliseconds since the epoch.
 */
export function attentionText({ decision, waiting, description, request }: Attention, say: Say, now: number): string {
  if (decision.kind === 'permission') {
    const asked = waiting ?? decision.waiting;
    const tool = asked === null ? '' : plainText(toolLabel(asked.tool));
    if (waiting === null || description === null) {
      return say('request.nobodyWaits', { tool, time: pointInTime(decision.openedAt, now) });
    }
    const count = 1 + (request?.alike.length ?? 0);
    const values = { tool, count, call: plainText(description.replaceAll('\n', ' — '), 400) };
    if (request?.definitionChanged === true) {
      return say(count === 1 ? 'request.toast.definitionChanged' : 'request.toast.definitionChanged.many', values);
    }
    return say(count === 1 ? 'request.toast' : 'request.toast.many', values);
  }
  // The first line is the call itself; the panel shows the rest.
  const call = plainText(description?.split('\n')[0] ?? '');
  const [first, ...others] = decision.actions;
  const named = first === undefined ? '' : actionText(first, say, now);
  const actions = others.length === 0 ? named : andMore(named, decision.actions, say);
  return waiting === null
    ? say('review.toast.nobodyWaits', { actions })
    : say('review.toast.waiting', { actions, call });
}

function andMore(first: string, actions: readonly ActionRecord[], say: Say): string {
  const values = { first, count: actions.length - 1 };
  const [lost] = lostTogether(actions);
  return say(lost?.length === actions.length ? 'review.andMore.oneLoss' : 'review.andMore', values);
}

/** Tells the sessions in a list apart. Their ids hold the time they were begun, where they are ours. */
export function sessionText(session: string, current: string, say: Say, now: number): string {
  if (session === current) {
    return say('session.current');
  }
  const begunAt = timeOfId(session);
  return begunAt === undefined
    ? say('session.named', { id: plainText(session, 12) })
    : say('session.begun', { time: pointInTime(begunAt, now) });
}

/** What is known of an action: each piece of its evidence in a few words. */
export function evidenceTexts(
  action: ActionRecord,
  say: Say,
): readonly { readonly at: number; readonly text: string }[] {
  const alive = survivingProcess(action, process.platform);
  const known = action.evidence.map(({ at, evidence }) => ({
    at,
    text:
      evidence.kind === 'process' && evidence.pid === alive
        ? say('commands.alive', { pid: alive })
        : evidenceText(evidence, say),
  }));
  return known.filter(({ text }) => text !== '');
}

function evidenceText(evidence: Evidence, say: Say): string {
  switch (evidence.kind) {
    case 'process':
      return say('evidence.process', { pid: evidence.pid });
    case 'exit':
      return say('evidence.exit', { code: evidence.code });
    case 'exit_like_signal':
      return say('evidence.exit_like_signal', { code: evidence.code, signal: evidence.signal });
    case 'signal':
      return say('evidence.signal', { signal: evidence.signal });
    case 'stopped':
      return evidence.survivors.length === 0
        ? say('evidence.stopped')
        : say('evidence.stopped.survivors', { pids: evidence.survivors.join(', ') });
    case 'background_child':
      return say('evidence.background_child');
    case 'output_truncated':
      return say('evidence.output_truncated', { total: evidence.totalBytes });
    case 'completion_lost':
      return say('evidence.completion_lost');
    case 'error':
      return say('evidence.error', { name: plainText(evidence.name) });
    case 'late_result':
      return say('evidence.late_result', { outcome: plainText(evidence.outcome) });
    case 'connection_lost':
      return say('evidence.connection_lost');
    case 'task':
      return say('evidence.task', { task: plainText(evidence.taskId, 200) });
    case 'cancel_sent':
      return say('evidence.cancel_sent');
    case 'late_answer':
      return say(`evidence.late_answer.${evidence.said}`);
    case 'attested_not_executed':
      return say('evidence.attested_not_executed');
    case 'carried_over':
      return evidence.user === ''
        ? say('evidence.carried_over.unseen')
        : say('evidence.carried_over', { user: plainText(evidence.user) });
    case 'person':
      return foundText(evidence, say);
  }
}
