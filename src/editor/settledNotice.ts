import { window } from 'vscode';
import { isUnresolved, type ActionRecord } from '../core/action.ts';
import { pointInTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import type { Journal } from '../journal/journal.ts';

/** So many are looked at to say what a pass has settled; a person is told of more as of these. */
const MOST = 100;

export interface SettledNotice {
  readonly journal: Journal;
  readonly actionIds: readonly string[];
  /** Opens the list of what needs a review. */
  readonly review: () => Promise<void>;
  readonly now: number;
  readonly say: Say;
}

/**
 * One notification for all that a pass has settled as unknown. Not of what its person was told of already, when it was found
 * interrupted, nor of what a person has checked, nor of what is another user's.
 */
export async function tellSettled({ journal, actionIds, review, now, say }: SettledNotice): Promise<void> {
  const actions = await Promise.all(actionIds.slice(0, MOST).map((id) => journal.getAction(id)));
  const news = actions.filter((action): action is ActionRecord => action !== undefined && isNews(action));
  const [first] = news;
  if (first === undefined) {
    return;
  }
  const values = { tool: plainText(toolLabel(first.tool)), time: pointInTime(first.startedAt, now) };
  const text = news.length === 1 ? say('settled.one', values) : say('settled.many', { ...values, count: news.length });
  const open = say('review.open');
  if ((await window.showWarningMessage(text, open)) === open) {
    await review();
  }
}

function isNews(action: ActionRecord): boolean {
  return action.orphanedAt === null && isUnresolved(action);
}
