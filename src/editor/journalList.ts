import { QuickInputButtons, window, type QuickPick, type QuickPickItem } from 'vscode';
import type { ActionRecord } from '../core/action.ts';
import { howItEnded, reviewState } from '../core/actionText.ts';
import { DisposableStore } from '../core/disposable.ts';
import { fullTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import type { Journal } from '../journal/journal.ts';
import { actionDetails } from './actionDetails.ts';
import { evidenceTexts } from './decisionText.ts';

const PAGE = 100;

export interface JournalListOptions {
  readonly journal: Journal;
  readonly user: string;
  /** Names a session for a person. */
  readonly sessionText: (session: string) => string;
  readonly say: Say;
}

interface Row extends QuickPickItem {
  /** The record it stands for; absent in the row that shows more of them. */
  readonly action?: ActionRecord;
}

/** *Holdfast: Inspect Journal*: the records, newest first, a page at a time. One that is picked shows its details. */
export async function showJournalList(options: JournalListOptions): Promise<void> {
  const { journal, user, say } = options;
  const more: Row = { label: say('journal.showMore'), alwaysShow: true };
  const list = window.createQuickPick<Row>();
  list.title = say('journal.title');
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.keepScrollPosition = true;
  let rows: readonly Row[] = [];
  const load = async (): Promise<void> => {
    const before = rows.at(-1)?.action?.id;
    const page = await journal.listActions({ user, limit: PAGE, ...(before === undefined ? {} : { before }) });
    const added = page.actions.map((action) => row(action, say));
    rows = [...rows, ...added];
    list.items = page.more ? [...rows, more] : rows;
    list.activeItems = added.slice(0, 1);
  };
  try {
    await load();
    if (rows.length === 0) {
      void window.showInformationMessage(say('journal.empty'));
      return;
    }
    for (let picked = await choose(list); picked !== undefined; picked = await choose(list)) {
      if (picked === 'back' || picked.action === undefined) {
        await load();
      } else if (await showDetails(picked.action, options)) {
        list.activeItems = [picked];
      } else {
        return;
      }
    }
  } finally {
    list.dispose();
  }
}

/** @returns whether the person wants back to the list. */
async function showDetails(action: ActionRecord, { sessionText, say }: JournalListOptions): Promise<boolean> {
  const details = window.createQuickPick();
  details.title = plainText(toolLabel(action.tool));
  details.buttons = [QuickInputButtons.Back];
  details.matchOnDescription = true;
  details.items = actionDetails(action, sessionText(action.scope.session), say).map(({ name, value }) => ({
    label: name,
    description: value,
  }));
  try {
    // There is nothing to pick in the details: picking one leads back too.
    return (await choose(details)) !== undefined;
  } finally {
    details.dispose();
  }
}

/** Shows a list until something is picked or *Back* is pressed; undefined once it is closed. */
async function choose<Item extends QuickPickItem>(list: QuickPick<Item>): Promise<Item | 'back' | undefined> {
  const listeners = new DisposableStore();
  try {
    return await new Promise((resolve) => {
      listeners.add(
        list.onDidAccept(() => {
          resolve(list.selectedItems[0]);
        }),
      );
      listeners.add(
        list.onDidTriggerButton(() => {
          resolve('back');
        }),
      );
      listeners.add(
        list.onDidHide(() => {
          resolve(undefined);
        }),
      );
      list.show();
    });
  } finally {
    listeners.dispose();
  }
}

function row(action: ActionRecord, say: Say): Row {
  const details = [
    fullTime(action.startedAt),
    reviewState(action, say),
    ...evidenceTexts(action, say).map(({ text }) => text),
  ];
  return {
    label: plainText(toolLabel(action.tool)),
    description: howItEnded(action, say),
    detail: details.filter((detail) => detail !== '').join(' · '),
    action,
  };
}
