import { ConfigurationTarget, env, ProgressLocation, window, workspace } from 'vscode';
import { HoldfastError, describe, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { formatInvite, inviteForOthers } from '../journal/postgres/invite.ts';
import type { JournalLocation, JournalMarker } from '../journal/sqlite/marker.ts';
import type { LeftBehind } from './changeOver.ts';
import { InviteInput } from './inviteInput.ts';
import type { InviteStore } from './inviteStore.ts';
import { holdsBack, type JournalHost } from './journalHost.ts';
import type { OpenedJournal, OpenJournalAt } from './openedJournal.ts';
import type { CompleteInvite } from './postgresOpening.ts';

export interface JournalCommandsOptions {
  readonly host: JournalHost;
  readonly invites: InviteStore;
  readonly marker: JournalMarker;
  readonly wish: () => JournalLocation;
  readonly openPostgres: (invite: CompleteInvite) => OpenJournalAt;
  readonly log: Log;
  readonly say: Say;
}

/**
 * *Use a PostgreSQL Journal…* and *Use the Embedded Journal*. The other journal is open before anything is kept, and whatever holds the
 * session back goes along or stands against it: nobody gets past the gate by changing the journal (P4).
 */
export class JournalCommands {
  readonly #options: JournalCommandsOptions;
  readonly #input: InviteInput;
  #isChanging = false;
  #isAskingForInvite = false;

  constructor(options: JournalCommandsOptions) {
    this.#options = options;
    this.#input = new InviteInput(options.say);
  }

  /** A command is at it: a change of the setting is its own. */
  get isChanging(): boolean {
    return this.#isChanging;
  }

  async usePostgres(): Promise<void> {
    const { invites, say } = this.#options;
    const kept = await invites.get();
    let invite = await this.#input.ask(kept);
    while (invite !== undefined) {
      try {
        const opened = await this.#try(invite);
        if (opened !== undefined) {
          await this.#change(opened, invite);
        }
        return;
      } catch (error) {
        const again = say('change.tryAgain');
        const failed = say('change.failed', { cause: describe(error, say) });
        if ((await window.showErrorMessage(failed, again)) !== again) {
          return;
        }
        const onlyThePassword = HoldfastError.is(error) && error.text.key === 'postgres.password';
        invite = onlyThePassword ? await this.#input.askPassword(invite) : await this.#input.ask(kept);
      }
    }
  }

  async useEmbedded(): Promise<void> {
    const { host, marker, wish, say } = this.#options;
    try {
      if ((host.current?.location ?? marker.usedLocation ?? 'embedded') === 'postgres') {
        await this.#change(await host.openAt('embedded', new AbortController().signal), undefined);
        return;
      }
      const wished = wish();
      await wishFor('embedded');
      await host.get();
      void window.showInformationMessage(say(wished === 'embedded' ? 'change.already' : 'change.done.embedded'));
    } catch (error) {
      void window.showErrorMessage(say('change.failed', { cause: describe(error, say) }));
    }
  }

  async copyInvite(): Promise<void> {
    const { invites, say } = this.#options;
    const invite = await invites.get();
    if (invite === undefined) {
      void window.showInformationMessage(say('invite.noneKept'));
      return;
    }
    await env.clipboard.writeText(formatInvite(inviteForOthers(invite)));
    void window.showInformationMessage(say('invite.copied'));
  }

  /** The settings want another journal than the one that holds this session back: says so, and leads to the command. */
  async tellWaiting(wish: JournalLocation, left: LeftBehind): Promise<void> {
    const { say } = this.#options;
    const open = say('change.switch');
    const text = say(`change.waits.${wish}`, { count: waiting(left) });
    if ((await window.showWarningMessage(text, open)) === open) {
      await (wish === 'postgres' ? this.usePostgres() : this.useEmbedded());
    }
  }

  /** The invite is gone: asks for it again, if the person wants to. One notification stands for all calls that miss it. */
  async tellNoInvite(): Promise<void> {
    const { say } = this.#options;
    if (this.#isAskingForInvite) {
      return;
    }
    this.#isAskingForInvite = true;
    try {
      const enter = say('change.enterInvite');
      if ((await window.showWarningMessage(say('journal.noInvite'), enter)) === enter) {
        await this.usePostgres();
      }
    } finally {
      this.#isAskingForInvite = false;
    }
  }

  /** @returns undefined when the person gives it up. @throws HoldfastError that says what stands in the way. */
  async #try(invite: CompleteInvite): Promise<OpenedJournal | undefined> {
    const { openPostgres, log, say } = this.#options;
    const title = say('change.trying', { host: plainText(invite.host), database: plainText(invite.database) });
    const options = { location: ProgressLocation.Notification, title, cancellable: true };
    return window.withProgress(options, async (_, token) => {
      const givenUp = new AbortController();
      const subscription = token.onCancellationRequested(() => {
        givenUp.abort();
      });
      log.trace('trying a journal');
      try {
        return await openPostgres(invite)({ waitForOwnerMs: 0, signal: givenUp.signal });
      } catch (error) {
        if (givenUp.signal.aborted) {
          return undefined;
        }
        throw error;
      } finally {
        subscription.dispose();
      }
    });
  }

  /** Changes over to a journal that is open, or closes it again. */
  async #change(to: OpenedJournal, invite: CompleteInvite | undefined): Promise<void> {
    this.#isChanging = true;
    let changed = false;
    try {
      const consent = await this.#consent(to);
      if (consent !== undefined) {
        changed = await this.#changeWith(to, invite, consent.unseen);
      }
    } finally {
      this.#isChanging = false;
      if (!changed) {
        await to.journal.close();
      }
    }
  }

  /** Undefined: it cannot be done now, or the person does not want it. They have been told why. */
  async #consent(to: OpenedJournal): Promise<{ readonly unseen: boolean } | undefined> {
    const { host, say } = this.#options;
    // What cannot be reached takes its time to say so.
    const looking = { location: ProgressLocation.Window, title: say('change.looking') };
    const survey = await window.withProgress(looking, () => host.survey(to));
    if (survey.kind === 'free' || (survey.kind === 'left' && !holdsBack(survey.left))) {
      return { unseen: false };
    }
    if (survey.kind === 'unseen') {
      // Another window of this workspace has it: there the change can be made with all that is known.
      if (HoldfastError.is(survey.error, 'journal_in_use')) {
        throw survey.error;
      }
      const detail = `${describe(survey.error, say)}\n\n${say('change.unseen')}`;
      return (await this.#confirm(to, detail, say('change.unseen.switch'))) ? { unseen: true } : undefined;
    }
    const { left } = survey;
    if (left.records.running > 0) {
      void window.showWarningMessage(say('change.running', { count: left.records.running }));
      return undefined;
    }
    const detail = [
      say('change.left', { count: waiting(left) }),
      ...(left.elsewhere > 0 ? [say('change.elsewhere', { count: left.elsewhere })] : []),
    ].join('\n\n');
    return (await this.#confirm(to, detail, say('change.carryOver'))) ? { unseen: false } : undefined;
  }

  async #confirm(to: OpenedJournal, detail: string, button: string): Promise<boolean> {
    const title = this.#options.say(`change.confirm.${to.location}`);
    return (await window.showWarningMessage(title, { modal: true, detail }, button)) === button;
  }

  /** The wish is kept first: interrupted after that, the next start sees what is missing and says so. */
  async #changeWith(to: OpenedJournal, invite: CompleteInvite | undefined, unseen: boolean): Promise<boolean> {
    const { host, invites, wish, log, say } = this.#options;
    const [wishedBefore, keptBefore] = [wish(), await invites.get()];
    const isKept = invite === undefined || (await invites.keep(invite));
    try {
      await wishFor(to.location);
      const result = await host.changeOver(to, unseen);
      if (result.kind === 'changed') {
        this.#tellDone(to, invite, isKept);
        return true;
      }
      const { kind } = result;
      const count = kind === 'busy' ? result.calls : result.actions;
      void window.showWarningMessage(say(`change.${kind}`, { count }));
    } catch (error) {
      log.warn('journal not changed over', { error: messageOf(error) });
      await this.#putBack(wishedBefore, keptBefore, invite);
      throw error;
    }
    await this.#putBack(wishedBefore, keptBefore, invite);
    return false;
  }

  async #putBack(
    wish: JournalLocation,
    kept: CompleteInvite | undefined,
    invite: CompleteInvite | undefined,
  ): Promise<void> {
    await wishFor(wish);
    if (invite !== undefined) {
      await (kept === undefined ? this.#options.invites.forget() : this.#options.invites.keep(kept));
    }
  }

  #tellDone({ user }: OpenedJournal, invite: CompleteInvite | undefined, isKept: boolean): void {
    const { say, log } = this.#options;
    if (invite === undefined) {
      void window.showInformationMessage(say('change.done.embedded'));
      return;
    }
    const [host, database] = [plainText(invite.host), plainText(invite.database)];
    const done = say('change.done.postgres', { host, database, user: plainText(user) });
    const copy = say('invite.copy');
    const text = isKept ? done : `${done} ${say('change.notKept')}`;
    window
      .showInformationMessage(text, copy)
      .then((chosen) => (chosen === copy ? this.copyInvite() : undefined))
      .then(undefined, (error: unknown) => {
        log.warn('invite not copied', { error: messageOf(error) });
      });
  }
}

/** How many actions hold the session back. */
function waiting({ records }: LeftBehind): number {
  return records.actions.filter(({ acknowledgedBy }) => acknowledgedBy === null).length + records.running;
}

async function wishFor(location: JournalLocation): Promise<void> {
  const wished = location === 'embedded' ? undefined : location;
  await workspace.getConfiguration('holdfast').update('journal.location', wished, ConfigurationTarget.Global);
}
