import { personVerdicts, type Evidence } from './evidence.ts';
import type { Say } from './messages.ts';
import { plainText } from './plainText.ts';

/** As long as a note on one action may be. */
export const FINDING_NOTE_LIMIT = 400;

/** What a person found out about an action, as a part of a sentence; empty where they said nothing of it. */
export function foundText({ verdict, note }: Extract<Evidence, { kind: 'person' }>, say: Say): string {
  const words = note === null ? '' : plainText(note, FINDING_NOTE_LIMIT);
  // A row may hold the word of a later version. It is not repeated: nobody knows what it says.
  if (verdict === null || !personVerdicts.includes(verdict)) {
    return words === '' ? '' : say('found.note', { note: words });
  }
  const found = say(`found.${verdict}`);
  return words === '' ? found : say('found.noted', { found, note: words });
}
