import { window, type QuickPickItem } from 'vscode';
import type { ActionRecord } from '../core/action.ts';
import { howItEnded, reviewState } from '../core/actionText.ts';
import type { Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import type { Journal } from '../journal/journal.ts';
import { evidenceText } from './decisionText.ts';

const PAGE = 100;

/** *Holdfast: Inspect Journal*: the records, newest first, a page at a time. */
export async function showJournalList(journal: Journal, user: string, say: Say): Promise<void> {
  const more: QuickPickItem = { label: say('journal.showMore'), alwaysShow: true };
  const items: QuickPickItem[] = [];
  let before: string | undefined;
  for (;;) {
    const page = await journal.listActions({ user, limit: PAGE, ...(before === undefined ? {} : { before }) });
    items.push(...page.actions.map((action) => item(action, say)));
    if (items.length === 0) {
      void window.showInformationMessage(say('journal.empty'));
      return;
    }
    const picked = await window.showQuickPick(page.more ? [...items, more] : items, {
      title: say('journal.title'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (picked !== more) {
      return;
    }
    before = page.actions.at(-1)?.id;
  }
}

function item(action: ActionRecord, say: Say): QuickPickItem {
  const details = [
    new Date(action.startedAt).toLocaleString(),
    reviewState(action, say),
    ...action.evidence.map(({ evidence }) => evidenceText(evidence, say)),
  ];
  return {
    label: plainText(toolLabel(action.tool)),
    description: howItEnded(action, say),
    detail: details.filter((detail) => detail !== '').join(' · '),
  };
}
