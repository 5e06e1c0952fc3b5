import { window } from 'vscode';
import type { ActionRecord } from '../core/action.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { pointInTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import type { Inbox } from '../decisions/inbox.ts';
import { survivingProcess } from '../tools/shell/survivingProcess.ts';
import type { OpenedJournal } from './openedJournal.ts';

export interface OpeningNotices {
  readonly opened: OpenedJournal;
  readonly inbox: Inbox;
  /** Opens the list of what needs a review. */
  readonly review: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/** After the journal was opened: says what is lost, which actions an earlier window left behind, and which reviews still wait. */
export async function tellOpening({ opened, inbox, review, clock, log, say }: OpeningNotices): Promise<void> {
  const { journal, user, findings } = opened;
  if (findings.setAside !== null) {
    const { why, movedTo } = findings.setAside;
    void window.showErrorMessage(
      say('journal.setAside', { why: say(`journal.why.${why}`), path: plainText(movedTo, 300) }),
    );
  } else if (findings.lostRecords) {
    void window.showErrorMessage(say('journal.lost'));
  }
  if (findings.onNetworkFileSystem) {
    void window.showWarningMessage(say('journal.onNetwork'));
  }
  for (const decision of await journal.listOpenDecisions(user)) {
    if (decision.kind === 'recovery') {
      inbox.raise({ decision, waiting: null, description: null });
    }
  }
  await tellInterrupted(findings.interrupted, review, clock.now(), log, say);
}

/** Says which actions were running when their window went. */
export async function tellInterrupted(
  interrupted: readonly ActionRecord[],
  review: () => Promise<void>,
  now: number,
  log: Log,
  say: Say,
): Promise<void> {
  const [first] = interrupted;
  if (first === undefined) {
    return;
  }
  const values = { tool: plainText(toolLabel(first.tool)), time: pointInTime(first.startedAt, now) };
  const text =
    interrupted.length === 1
      ? say('interrupted.one', values)
      : say('interrupted.many', { ...values, count: interrupted.length });
  const open = say('review.open');
  const pids = interrupted.flatMap((action) => survivingProcess(action, process.platform) ?? []);
  const alive = pids.length === 0 ? '' : ` ${say('commands.interruptedAlive', { pids: pids.join(', ') })}`;
  const shown = window.showWarningMessage(text + alive, open);
  log.trace('interrupted notice shown', { actions: interrupted.length });
  if ((await shown) === open) {
    await review();
  }
}
