import type { ActionRecord } from '../core/action.ts';
import { howItEnded, reviewState } from '../core/actionText.ts';
import { fullTime, type MessageKey, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import { decidedByText } from './permissionText.ts';
import { evidenceTexts } from './decisionText.ts';

export interface Detail {
  readonly name: string;
  readonly value: string;
}

/** All that the journal holds of an action, for a person; what is not there is left out. */
export function actionDetails(action: ActionRecord, session: string, say: Say): readonly Detail[] {
  const details: Detail[] = [];
  const add = (key: Extract<MessageKey, `record.${string}`>, value: string | null): void => {
    if (value !== null && value !== '') {
      details.push({ name: say(key), value: plainText(value, 400) });
    }
  };
  add('record.tool', toolLabel(action.tool));
  add('record.outcome', howItEnded(action, say));
  add('record.review', reviewState(action, say));
  add('record.started', fullTime(action.startedAt));
  add('record.ended', action.completedAt === null ? null : fullTime(action.completedAt));
  add('record.interrupted', action.orphanedAt === null ? null : fullTime(action.orphanedAt));
  for (const { at, text } of evidenceTexts(action, say)) {
    add('record.evidence', `${text} (${fullTime(at)})`);
  }
  add('record.allowedBy', decidedByText(action.allowedBy, say));
  add('record.session', session);
  add('record.id', action.id);
  return details;
}
