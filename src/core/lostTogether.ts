import type { ActionRecord } from './action.ts';
import type { Say } from './messages.ts';
import { plainText } from './plainText.ts';

/** The actions of a list that have their loss in common with others of it (M11): two or more to a cause, in the order of the list. */
export function lostTogether(actions: readonly ActionRecord[]): readonly (readonly ActionRecord[])[] {
  const byCause = new Map<string, ActionRecord[]>();
  for (const action of actions) {
    const cause = causeOf(action);
    if (cause !== undefined) {
      byCause.set(cause, [...(byCause.get(cause) ?? []), action]);
    }
  }
  return [...byCause.values()].filter(({ length }) => length > 1);
}

/** One sentence to a cause, for a person who looks at all of them at once. */
export function lostTogetherTexts(actions: readonly ActionRecord[], say: Say): readonly string[] {
  return lostTogether(actions).map((lost) => {
    const values = { count: lost.length, server: plainText(lost[0]?.tool.server ?? '') };
    return say(lost.length === actions.length ? 'review.oneLoss.all' : 'review.oneLoss', values);
  });
}

/** The connection that an action's answer was lost with, by name. */
function causeOf({ evidence }: ActionRecord): string | undefined {
  const lost = evidence.map((note) => note.evidence).find((note) => note.kind === 'connection_lost');
  return lost?.causeId;
}
