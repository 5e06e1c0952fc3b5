import { HoldfastError, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { text } from '../core/messages.ts';
import type { JournalLocation, JournalMarker } from '../journal/sqlite/marker.ts';
import type { ChangeOver, LeftBehind } from './changeOver.ts';
import type { OpenedJournal, OpeningTerms, OpenJournalAt } from './openedJournal.ts';

/** How long the window's first opening waits for another owner, in milliseconds: a reload overlaps the host it replaces. */
const WAIT_FOR_OWNER_MS = 10_000;

export type ResetResult =
  | { readonly kind: 'reset' }
  /** Calls of this window run or wait for an answer. */
  | { readonly kind: 'busy' }
  /** The one beside the workspace is not the one that is open. */
  | { readonly kind: 'elsewhere' };

export interface JournalHostOptions {
  readonly marker: JournalMarker;
  /** Where the person wants the journal to be. */
  readonly wish: () => JournalLocation;
  readonly open: Readonly<Record<JournalLocation, OpenJournalAt>>;
  readonly changeOver: ChangeOver;
  /** Has the next opening of the journal beside the workspace set it aside. Throws when it cannot. */
  readonly noteReset: () => void;
  /** Writes what failed writes left half known, before the journal is left. */
  readonly writeRepairs: () => Promise<void>;
  /** Whether a call of this window runs, also in the background, where nobody visits the journal for it any more. */
  readonly isBusy: () => boolean;
  readonly log: Log;
  /** Hears of every journal that is used from now on. */
  readonly onOpened: (opened: OpenedJournal) => void;
  /** The wish must wait: what is unresolved in the journal that is used has to be carried over first, and that takes a person. */
  readonly onWishWaits: (wish: JournalLocation, left: LeftBehind) => void;
}

/** One use of the open journal. As long as it lasts, the window does not change over to another one. */
export interface Visit {
  leave(): void;
}

export type Survey =
  /** Nothing: no journal is used yet, the used one holds nothing back, or it is this very one. */
  | { readonly kind: 'free' }
  | { readonly kind: 'left'; readonly from: OpenedJournal; readonly left: LeftBehind }
  /** The journal that is used cannot be read, so nobody knows. */
  | { readonly kind: 'unseen'; readonly error: unknown };

export type ChangeOverResult =
  | { readonly kind: 'changed' }
  /** Calls of this window run or wait for an answer. */
  | { readonly kind: 'busy'; readonly calls: number }
  /** Actions of the session run, perhaps in another window. */
  | { readonly kind: 'running'; readonly actions: number };

/**
 * Keeps the window's journal open, from when it is first needed until the window goes: the one that the workspace's session is recorded
 * in. Where the person wants another one, it changes over, at once if nothing holds the session back, else when the person says so.
 */
export class JournalHost {
  readonly #options: JournalHostOptions;
  readonly #closing = new AbortController();
  #opened: Promise<OpenedJournal> | undefined;
  /** The same, once it is there. */
  #current: OpenedJournal | undefined;
  #changing: Promise<unknown> | undefined;
  #visits = 0;
  /** A window that was there before us for so long is no reload: later tries look once. */
  #waitForOwnerMs = WAIT_FOR_OWNER_MS;

  constructor(options: JournalHostOptions) {
    this.#options = options;
  }

  /** @throws HoldfastError while the journal cannot be opened; the next call tries again, until {@link giveUpOpening}. */
  readonly get = async (): Promise<OpenedJournal> => {
    await this.#changing?.catch(() => undefined);
    return this.#opened ?? this.#share(this.#openUsed());
  };

  /** The journal that is open now, if one is. */
  get current(): OpenedJournal | undefined {
    return this.#current;
  }

  /** Uses the journal, until the visit is left. @throws HoldfastError as {@link get}. */
  async enter(): Promise<Visit> {
    for (;;) {
      await this.get();
      if (this.#changing === undefined) {
        this.#visits += 1;
        return { leave: () => (this.#visits -= 1) };
      }
    }
  }

  /** Opens a journal that may be changed over to. Whoever asks for it closes it, unless it is used then. */
  async openAt(location: JournalLocation, signal: AbortSignal): Promise<OpenedJournal> {
    return this.#options.open[location](this.#terms(0, signal));
  }

  /** What stands against changing over to a journal that is open. */
  async survey(to: OpenedJournal): Promise<Survey> {
    try {
      const from = await this.#leaving(to);
      return from === undefined
        ? { kind: 'free' }
        : { kind: 'left', from, left: await this.#options.changeOver.leftIn(from) };
    } catch (error) {
      return { kind: 'unseen', error };
    }
  }

  /**
   * Changes over to a journal that is open: carries over what holds the session back, makes the other one the one that is used, and closes
   * the one before. New calls wait meanwhile.
   *
   * @param unseen the journal that is used cannot be read: an unresolved action stands for what nobody can know.
   * @throws HoldfastError when it cannot be done; the journal that was used stays so, with all that it has.
   */
  changeOver(to: OpenedJournal, unseen: boolean): Promise<ChangeOverResult> {
    if (this.#isHeld) {
      return Promise.resolve({ kind: 'busy', calls: Math.max(1, this.#visits) });
    }
    const changing = this.#changeOver(to, unseen).finally(() => (this.#changing = undefined));
    this.#changing = changing;
    return changing;
  }

  /**
   * Sets the journal beside the workspace aside, as a damaged one is, and begins a new one: each earlier session is told (P15). New calls
   * wait meanwhile.
   *
   * @throws what stood in the way. If the journal was closed by then, the next call opens the new one.
   */
  reset(): Promise<ResetResult> {
    if (this.#isHeld) {
      return Promise.resolve({ kind: 'busy' });
    }
    const resetting = this.#reset().finally(() => (this.#changing = undefined));
    this.#changing = resetting;
    return resetting;
  }

  /** The wish may be another one now: follows it if nothing holds the session back. */
  async followWish(): Promise<void> {
    const { wish, changeOver, log, onWishWaits } = this.#options;
    const opened = this.#current;
    const location = wish();
    if (opened === undefined || opened.location === location || this.#changing !== undefined) {
      return;
    }
    const left = await changeOver.leftIn(opened);
    if (!holdsBack(left)) {
      const to = await this.openAt(location, this.#closing.signal);
      const { kind } = await this.changeOver(to, false).catch(async (error: unknown) => {
        await to.journal.close();
        throw error;
      });
      if (kind === 'changed') {
        return;
      }
      await to.journal.close();
    }
    log.info('journal not changed over yet', { actions: left.records.actions.length, running: left.records.running });
    onWishWaits(location, left);
  }

  /** Waits no longer for another owner, and opens nothing from now on. An open journal stays open. */
  giveUpOpening(): void {
    this.#closing.abort(new HoldfastError('stopped', text('journal.closed')));
  }

  async close(): Promise<void> {
    this.giveUpOpening();
    await this.#changing?.catch(() => undefined);
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.journal.close();
  }

  /** Somebody uses the journal, or it is being changed: it cannot be left now. */
  get #isHeld(): boolean {
    return this.#changing !== undefined || this.#visits > 0 || this.#options.isBusy();
  }

  /** Whoever asks for the journal meanwhile waits for the same opening. One that fails is forgotten. */
  #share(opening: Promise<OpenedJournal>): Promise<OpenedJournal> {
    this.#opened = opening;
    opening.catch(() => {
      if (this.#opened === opening) {
        this.#opened = undefined;
      }
    });
    return opening;
  }

  /** The journal that the session is recorded in; the one that is wished for, if nothing stands against that. */
  async #openUsed(): Promise<OpenedJournal> {
    const { marker, wish, open, changeOver, onWishWaits } = this.#options;
    this.#closing.signal.throwIfAborted();
    const terms = this.#terms(this.#waitForOwnerMs, this.#closing.signal);
    this.#waitForOwnerMs = 0;
    const location = wish();
    const used = marker.usedLocation;
    if (used === null || used === location || !changeOver.mayHoldBack(used)) {
      return this.#use(await this.#openFor(location, terms));
    }
    const before = await this.#openFor(used, terms);
    try {
      const left = await changeOver.leftIn(before);
      if (holdsBack(left)) {
        onWishWaits(location, left);
        return this.#use(before);
      }
      const after = await open[location](terms);
      let running = 1;
      try {
        running = await changeOver.over(before, after);
      } finally {
        await (running > 0 ? after : before).journal.close();
      }
      return this.#use(running > 0 ? before : after);
    } catch (error) {
      await before.journal.close();
      throw error;
    }
  }

  /** Opens the journal for the session. Where another one than was used answers, it is asked to be checked first. */
  async #openFor(location: JournalLocation, terms: OpeningTerms): Promise<OpenedJournal> {
    const { marker, open } = this.#options;
    const used = marker.usedLocation;
    const opened = await open[location](terms);
    try {
      return await this.#settledIn(opened, used !== null && used !== location);
    } catch (error) {
      await opened.journal.close();
      throw error;
    }
  }

  /** A journal on a server remembers nothing of this workspace by itself: the marker does. */
  async #settledIn(opened: OpenedJournal, changed: boolean): Promise<OpenedJournal> {
    const { marker, changeOver } = this.#options;
    if (opened.location === 'embedded') {
      if (changed) {
        await marker.use(opened.seat);
      }
      return opened;
    }
    const { raised, journalId } = marker.at('postgres').read();
    const sessionIsLost = marker.sessionIsLost();
    const another = raised && journalId !== null && journalId !== opened.seat;
    if (another || sessionIsLost) {
      await changeOver.withoutLooking(opened, journalId);
      return { ...opened, findings: { ...opened.findings, lostRecords: true } };
    }
    if (changed || !raised) {
      await marker.at('postgres').use(opened.seat);
    }
    return opened;
  }

  async #changeOver(to: OpenedJournal, unseen: boolean): Promise<ChangeOverResult> {
    const { changeOver, writeRepairs, marker, log } = this.#options;
    if (unseen) {
      await changeOver.withoutLooking(to, marker.at(marker.usedLocation ?? 'embedded').read().journalId);
    } else {
      const from = await this.#leaving(to);
      if (from !== undefined) {
        await writeRepairs();
        const actions = await changeOver.over(from, to);
        if (actions > 0) {
          return { kind: 'running', actions };
        }
      } else {
        await this.#settledIn(to, marker.usedLocation !== to.location);
      }
    }
    const before = this.#current;
    this.#opened = Promise.resolve(to);
    this.#use(to);
    await before?.journal.close().catch((error: unknown) => {
      log.warn('journal not closed', { error: messageOf(error) });
    });
    return { kind: 'changed' };
  }

  async #reset(): Promise<ResetResult> {
    const { noteReset, open, log } = this.#options;
    const before = this.#current;
    if (before?.location !== 'embedded') {
      return { kind: 'elsewhere' };
    }
    noteReset();
    log.warn('journal set aside by a person', { id: before.journalId });
    this.#current = undefined;
    this.#opened = undefined;
    await before.journal.close();
    const opening = open.embedded(this.#terms(WAIT_FOR_OWNER_MS, this.#closing.signal));
    const opened = this.#use(await opening);
    this.#opened = Promise.resolve(opened);
    return { kind: 'reset' };
  }

  /** The journal that is left for another one, opened if need be; undefined if nothing in it can hold the session back. */
  async #leaving(to: OpenedJournal): Promise<OpenedJournal | undefined> {
    const { marker, changeOver } = this.#options;
    const used = marker.usedLocation;
    const current = this.#current ?? (await this.#opened?.catch(() => undefined));
    if (current !== undefined) {
      return isSame(current, to) ? undefined : current;
    }
    if (used === null || !changeOver.mayHoldBack(used)) {
      return undefined;
    }
    if (used === to.location && marker.at(used).read().journalId === to.seat) {
      return undefined;
    }
    // It may turn out that it is not left: so it is opened like any other that is used.
    const opening = this.#openFor(used, this.#terms(0, this.#closing.signal)).then((opened) => this.#use(opened));
    const from = await this.#share(opening);
    return isSame(from, to) ? undefined : from;
  }

  #use(opened: OpenedJournal): OpenedJournal {
    this.#current = opened;
    this.#options.onOpened(opened);
    return opened;
  }

  #terms(waitForOwnerMs: number, signal: AbortSignal): OpeningTerms {
    return { waitForOwnerMs, signal };
  }
}

function isSame(one: OpenedJournal, other: OpenedJournal): boolean {
  return one.location === other.location && one.seat === other.seat;
}

/** Whether a person has to say how the session goes on elsewhere. */
export function holdsBack({ records }: LeftBehind): boolean {
  return records.running > 0 || records.actions.some(({ acknowledgedBy }) => acknowledgedBy === null);
}
