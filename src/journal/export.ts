import type { ActionRecord } from '../core/action.ts';
import type { Decision } from '../core/decision.ts';
import type { Journal } from './journal.ts';
import { allSessions, type SessionRecord } from './removal.ts';

/** Records are read in pages of so many. */
const PAGE = 200;

/** Whose records are exported. */
export interface ExportSelection {
  readonly user: string;
  /** This session's only; null: all of the user's. */
  readonly session: string | null;
}

/** A decision; the actions that it names are records of their own, so their ids stand for them. */
export type ExportedDecision = Omit<Decision, 'actions'> & { readonly actions: readonly string[] };

/**
 * One record of an export, flat enough to become a line or a row. None holds what was sent or returned: the journal has no such thing
 * (P10). Times are milliseconds since the epoch, by the journal's clock.
 */
export type ExportedRecord =
  | { readonly record: 'action'; readonly action: ActionRecord }
  | { readonly record: 'decision'; readonly decision: ExportedDecision }
  /** A session, with the tombstone of its last removal where it has one. */
  | { readonly record: 'session'; readonly session: SessionRecord };

/**
 * The records of a session or of a user, a page at a time: sessions first, then actions with their evidence, then decisions, each newest
 * first. What is written meanwhile may be missing.
 *
 * @throws HoldfastError `journal_unavailable`
 */
export async function* exportedRecords(journal: Journal, selection: ExportSelection): AsyncGenerator<ExportedRecord> {
  const { user, session } = selection;
  const of = session === null ? { user } : { user, session };
  for (const known of await allSessions(journal, user)) {
    if (session === null || known.scope.session === session) {
      yield { record: 'session', session: known };
    }
  }
  yield* paged(async (from) => {
    const { actions, more } = await journal.listActions({ ...of, ...from, limit: PAGE });
    return { items: actions, more };
  }, toAction);
  yield* paged(async (from) => {
    const { decisions, more } = await journal.listDecisions({ ...of, ...from, limit: PAGE });
    const items = await Promise.all(decisions.map((decision) => withAllNames(journal, decision)));
    return { items, more };
  }, toDecision);
}

/** The same as JSON Lines: a record in each, with a newline behind it. */
export async function* exportedLines(journal: Journal, selection: ExportSelection): AsyncGenerator<string> {
  for await (const record of exportedRecords(journal, selection)) {
    yield `${JSON.stringify(record)}\n`;
  }
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

async function* paged<Item extends { readonly id: string }>(
  read: (from: { readonly before?: string }) => Promise<Page<Item>>,
  toRecord: (item: Item) => ExportedRecord,
): AsyncGenerator<ExportedRecord> {
  let from: { readonly before?: string } = {};
  for (;;) {
    const { items, more } = await read(from);
    for (const item of items) {
      yield toRecord(item);
    }
    const last = items.at(-1);
    if (!more || last === undefined) {
      return;
    }
    from = { before: last.id };
  }
}

function toAction(action: ActionRecord): ExportedRecord {
  return { record: 'action', action };
}

function toDecision(decision: ExportedDecision): ExportedRecord {
  return { record: 'decision', decision };
}

/** A replay review names more actions than come with it. */
async function withAllNames(journal: Journal, decision: Decision): Promise<ExportedDecision> {
  const names = decision.actions.map(({ id }) => id);
  for (let more = names.length < decision.actionCount; more;) {
    const after = names.at(-1);
    const page = await journal.listNamedActions({
      decision: decision.id,
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    names.push(...page.actions.map(({ id }) => id));
    more = page.more && page.actions.length > 0;
  }
  return { ...decision, actions: names };
}
