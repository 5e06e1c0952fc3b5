import { ProgressLocation, window, type QuickPickItem } from 'vscode';
import type { Decision } from '../core/decision.ts';
import { describe, HoldfastError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { fullTime, type Say } from '../core/messages.ts';
import { removed, type Inbox } from '../decisions/inbox.ts';
import type { Journal } from '../journal/journal.ts';
import { allSessions, removeAll, type SessionRecord } from '../journal/removal.ts';
import type { JournalAccess } from './journalAccess.ts';
import { exportRecords } from './recordExport.ts';
import type { WorkspaceSession } from './workspaceSession.ts';

export interface RecordRemovalOptions {
  readonly access: Pick<JournalAccess, 'host' | 'journal' | 'user'>;
  readonly session: WorkspaceSession;
  readonly inbox: Inbox;
  /** Names a session for a person. */
  readonly sessionText: (session: string) => string;
  /** What is open has changed. */
  readonly look: () => void;
  readonly log: Log;
  readonly say: Say;
}

interface Row extends QuickPickItem {
  readonly session: SessionRecord;
}

/** What the person is told, and what it was counted from. */
interface Target {
  /** Null: all of the user's. */
  readonly session: string | null;
  readonly sessions: readonly SessionRecord[];
}

/** *Delete Session…* and *Delete All My Records…* (G20). Nothing is deleted that a person has not agreed to in a modal that counts it. */
export class RecordRemoval {
  readonly #options: RecordRemovalOptions;

  constructor(options: RecordRemovalOptions) {
    this.#options = options;
  }

  async removeSession(): Promise<void> {
    await this.#visiting(async (journal) => {
      const { say, sessionText } = this.#options;
      const sessions = await this.#sessions(journal);
      if (sessions.length === 0) {
        void window.showInformationMessage(say('removal.none'));
        return;
      }
      const rows = sessions.map((session) => this.#row(session));
      const picked = await window.showQuickPick(rows, { title: say('removal.pick'), matchOnDetail: true });
      if (picked !== undefined) {
        const { session } = picked.session.scope;
        const title = say('removal.confirm', { session: sessionText(session) });
        await this.#remove(journal, session, title);
      }
    });
  }

  async removeAll(): Promise<void> {
    await this.#visiting((journal) => this.#remove(journal, null, this.#options.say('removal.confirm.all')));
  }

  /** As long as it lasts, the window does not change over to another journal. */
  async #visiting(use: (journal: Journal) => Promise<void>): Promise<void> {
    const { access } = this.#options;
    const visit = await access.host.enter();
    try {
      await use(await access.journal());
    } finally {
      visit.leave();
    }
  }

  /** Asks until the person has deleted the records or given it up: after an export, and after a change, with what is so then. */
  async #remove(journal: Journal, session: string | null, title: string): Promise<void> {
    const { say } = this.#options;
    const [exportFirst, remove] = [say('removal.export'), say('removal.delete')];
    let exported: string | undefined;
    for (;;) {
      const target = await this.#target(journal, session);
      if (target === undefined) {
        return;
      }
      const told = await this.#told(journal, target);
      const detail = [...(exported === undefined ? [] : [say('removal.exported', { file: exported })]), ...told];
      const options = { modal: true, detail: detail.join('\n\n') };
      const choice = await window.showWarningMessage(title, options, exportFirst, remove);
      if (choice === remove) {
        await this.#confirmed(journal, target);
        return;
      }
      if (choice !== exportFirst) {
        return;
      }
      try {
        exported = (await exportRecords(journal, { user: this.#user, session }, say)) ?? exported;
      } catch (error) {
        void window.showErrorMessage(say('removal.exportFailed', { cause: describe(error, say) }));
        return;
      }
    }
  }

  /** Undefined: there is nothing to delete, or an action runs. The person has been told. */
  async #target(journal: Journal, session: string | null): Promise<Target | undefined> {
    const { say } = this.#options;
    const known = await this.#sessions(journal);
    const sessions = known.filter(({ scope }) => session === null || scope.session === session);
    // Of a user, there may be what was remembered for always.
    if (sessions.length === 0 && (session !== null || (await this.#grantsOfAlways(journal)) === 0)) {
      void window.showInformationMessage(say('removal.none'));
      return undefined;
    }
    const running = total(sessions, 'running');
    if (running > 0) {
      void window.showWarningMessage(say('removal.running', { count: running }));
      return undefined;
    }
    return { session, sessions };
  }

  async #told(journal: Journal, target: Target): Promise<readonly string[]> {
    const { say, inbox } = this.#options;
    const { session, sessions } = target;
    const unresolved = total(sessions, 'unresolved');
    const always = session === null ? await this.#grantsOfAlways(journal) : 0;
    const open = await this.#openIn(journal, sessions);
    const waiting = open.filter(({ id }) => inbox.attentionFor(id) !== undefined).length;
    const counts = {
      actions: total(sessions, 'actions'),
      decisions: total(sessions, 'decisions'),
      grants: total(sessions, 'grants') + always,
    };
    return [
      ...(session === null ? [say('removal.sessions', { count: sessions.length })] : []),
      say('removal.what', counts),
      ...(session === null ? [say('removal.always')] : []),
      unresolved > 0 ? say('removal.unresolved', { count: unresolved }) : say('removal.settled'),
      ...(waiting > 0 ? [say('removal.waiting', { count: waiting })] : []),
      ...(this.#takesCurrent(target) ? [say(session === null ? 'removal.current.all' : 'removal.current')] : []),
      say('removal.tombstone'),
    ];
  }

  async #confirmed(journal: Journal, target: Target): Promise<void> {
    const { look, log, say } = this.#options;
    const progress = { location: ProgressLocation.Notification, title: say('removal.deleting') };
    try {
      const count = await window.withProgress(progress, () => this.#delete(journal, target));
      log.info('records deleted by a person', { sessions: target.sessions.length, actions: count });
      void window.showInformationMessage(say('removal.done', { count }));
    } catch (error) {
      if (!HoldfastError.is(error, 'removal_refused')) {
        throw error;
      }
      void window.showWarningMessage(describe(error, say));
    } finally {
      look();
    }
  }

  async #delete(journal: Journal, target: Target): Promise<number> {
    const { inbox, session: workspaceSession } = this.#options;
    const { session, sessions } = target;
    const open = await this.#openIn(journal, sessions);
    // New calls go on in a session of their own: none of them gets into the one that goes.
    const before = this.#takesCurrent(target) ? await workspaceSession.startNew() : undefined;
    const knownUnresolved = total(sessions, 'unresolved');
    const removal = { user: this.#user, session, by: this.#user, knownUnresolved };
    let count: number;
    try {
      count = await removeAll(journal, removal);
    } catch (error) {
      if (before !== undefined && HoldfastError.is(error, 'removal_refused')) {
        await workspaceSession.goBackTo(before);
      }
      throw error;
    }
    for (const decision of open) {
      inbox.ended(removed(decision));
    }
    await inbox.lookAgain();
    return count;
  }

  async #openIn(journal: Journal, sessions: readonly SessionRecord[]): Promise<readonly Decision[]> {
    const going = new Set(sessions.map(({ scope }) => scope.session));
    return (await journal.listOpenDecisions(this.#user)).filter(({ scope }) => going.has(scope.session));
  }

  /** Those that have records. */
  async #sessions(journal: Journal): Promise<readonly SessionRecord[]> {
    const sessions = await allSessions(journal, this.#user);
    return sessions.filter(({ actions, decisions, grants }) => actions + decisions + grants > 0);
  }

  async #grantsOfAlways(journal: Journal): Promise<number> {
    const grants = await journal.listGrants({ user: this.#user, revoked: true, limit: 1000 });
    return grants.filter(({ session }) => session === null).length;
  }

  #row(session: SessionRecord): Row {
    const { say, sessionText } = this.#options;
    const { scope, actions, unresolved, running, lastStartedAt, registeredAt, tombstone } = session;
    const when =
      lastStartedAt === null
        ? say('removal.row.never', { time: fullTime(registeredAt) })
        : say('removal.row.last', { time: fullTime(lastStartedAt) });
    const detail = [
      when,
      ...(running > 0 ? [say('removal.row.running', { count: running })] : []),
      ...(tombstone === null ? [] : [say('removal.row.before', { count: tombstone.actions })]),
    ];
    return {
      label: sessionText(scope.session),
      description:
        unresolved > 0 ? say('removal.counts.unresolved', { actions, unresolved }) : say('removal.counts', { actions }),
      detail: detail.join(' · '),
      session,
    };
  }

  /** Of a user all go, also one that has no records yet. */
  #takesCurrent({ session }: Target): boolean {
    return session === null || session === this.#options.session.caller.scope.session;
  }

  get #user(): string {
    return this.#options.access.user();
  }
}

function total(
  sessions: readonly SessionRecord[],
  of: 'actions' | 'decisions' | 'grants' | 'unresolved' | 'running',
): number {
  return sessions.reduce((sum, session) => sum + session[of], 0);
}
