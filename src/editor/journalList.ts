import { QuickInputButtons, window, type QuickPickItem } from 'vscode';
import type { ActionRecord } from '../core/action.ts';
import { howItEnded, reviewState } from '../core/actionText.ts';
import { fullTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import type { Journal } from '../journal/journal.ts';
import type { Tombstone } from '../journal/removal.ts';
import { entryDetails } from './entryDetails.ts';
import { evidenceTexts } from './decisionText.ts';
import { JournalFeed, type JournalEntry } from './journalFeed.ts';
import { decisionKind, decisionState, grantSpan, grantState } from './permissionText.ts';
import { choose } from './quickPicks.ts';

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
  readonly entry?: JournalEntry;
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
  const feed = new JournalFeed(journal, user);
  const load = async (): Promise<void> => {
    const page = await feed.next(PAGE);
    const added = page.entries.map((entry) => row(entry, options));
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
      if (picked === 'back' || picked.entry === undefined) {
        await load();
      } else if (await showDetails(picked.entry, options)) {
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
async function showDetails(entry: JournalEntry, { sessionText, say }: JournalListOptions): Promise<boolean> {
  const details = window.createQuickPick();
  details.title = title(entry, sessionText, say);
  details.buttons = [QuickInputButtons.Back];
  details.matchOnDescription = true;
  details.items = entryDetails(entry, sessionText, say).map(({ name, value }) => ({ label: name, description: value }));
  try {
    // There is nothing to pick in the details: picking one leads back too.
    return (await choose(details)) !== undefined;
  } finally {
    details.dispose();
  }
}

function row(entry: JournalEntry, { sessionText, say }: JournalListOptions): Row {
  switch (entry.kind) {
    case 'action':
      return { label: `$(tools) ${title(entry, sessionText, say)}`, ...actionRow(entry.action, say), entry };
    case 'decision': {
      const { decision } = entry;
      const details = [fullTime(decision.openedAt), decisionKind(decision, say), plainText(decision.note ?? '', 200)];
      return {
        label: `${decision.answeredFrom === null && decision.decidedBy !== null ? '$(law)' : '$(person)'} ${title(entry, sessionText, say)}`,
        description: decisionState(decision, say),
        detail: details.filter((detail) => detail !== '').join(' · '),
        entry,
      };
    }
    case 'grant': {
      const { grant } = entry;
      return {
        label: `$(history) ${title(entry, sessionText, say)}`,
        description: grantState(grant, say),
        detail: `${fullTime(grant.grantedAt)} · ${say('grant.given', { span: grantSpan(grant, sessionText, say) })}`,
        entry,
      };
    }
    case 'tombstone':
      return {
        label: `$(trash) ${title(entry, sessionText, say)}`,
        ...tombstoneRow(entry.tombstone, say),
        entry,
      };
  }
}

function tombstoneRow({ at, by, actions, complete }: Tombstone, say: Say): Pick<Row, 'description' | 'detail'> {
  const state = complete ? [] : [say('tombstone.incomplete')];
  return {
    description: [say('tombstone.actions', { count: actions }), ...state].join(', '),
    detail: `${fullTime(at)} · ${say('record.deletedBy')}: ${plainText(by, 80)}`,
  };
}

function actionRow(action: ActionRecord, say: Say): Pick<Row, 'description' | 'detail'> {
  const details = [
    fullTime(action.startedAt),
    reviewState(action, say),
    ...evidenceTexts(action, say).map(({ text }) => text),
  ];
  return { description: howItEnded(action, say), detail: details.filter((detail) => detail !== '').join(' · ') };
}

function title(entry: JournalEntry, sessionText: (session: string) => string, say: Say): string {
  switch (entry.kind) {
    case 'tombstone':
      return say('tombstone.title', { session: sessionText(entry.session.scope.session) });
    case 'action':
      return plainText(toolLabel(entry.action.tool));
    case 'grant':
      return plainText(toolLabel(entry.grant.tool));
    case 'decision': {
      const { waiting } = entry.decision;
      return waiting === null ? decisionKind(entry.decision, say) : plainText(toolLabel(waiting.tool));
    }
  }
}
