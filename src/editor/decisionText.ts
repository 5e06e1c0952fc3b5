import type { ActionRecord } from '../core/action.ts';
import { howItEnded } from '../core/actionText.ts';
import type { Evidence } from '../core/evidence.ts';
import { timeOfDay, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import type { Attention } from '../decisions/inbox.ts';

/** One action in a sentence: `holdfast.runCommand at 10:42 (unknown: stopped at its time limit)`. */
export function actionText(action: ActionRecord, say: Say): string {
  return say('review.action', {
    tool: plainText(toolLabel(action.tool)),
    time: timeOfDay(action.startedAt),
    ending: howItEnded(action, say),
  });
}

/** The notification's text for a decision: names the earlier tool and why it is unknown, and what waits. */
export function attentionText({ decision, waiting, description }: Attention, say: Say): string {
  if (decision.kind === 'permission') {
    const tool = waiting === null ? '' : plainText(toolLabel(waiting.tool));
    return say('request.toast', { tool, call: plainText(description ?? '', 400) });
  }
  // The first line is the call itself; the panel shows the rest.
  const call = plainText(description?.split('\n')[0] ?? '');
  const [first, ...others] = decision.actions;
  const named = first === undefined ? '' : actionText(first, say);
  const actions = others.length === 0 ? named : say('review.andMore', { first: named, count: others.length });
  return waiting === null
    ? say('review.toast.nobodyWaits', { actions })
    : say('review.toast.waiting', { actions, call });
}

/** One piece of evidence in a few words. */
export function evidenceText(evidence: Evidence, say: Say): string {
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
    case 'person':
      return say('evidence.person', { note: plainText(evidence.note ?? evidence.verdict ?? '', 400) });
  }
}
