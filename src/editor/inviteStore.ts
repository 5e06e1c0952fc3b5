import type { SecretStorage } from 'vscode';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { formatInvite, parseInvite } from '../journal/postgres/invite.ts';
import { isComplete, type CompleteInvite } from './postgresOpening.ts';

const KEY = 'holdfast.journal.invite';

/**
 * The invite of this VS Code, in its secret storage. Where that keeps nothing (a machine without a keyring, a VS Code in the browser after
 * a reload), the invite is known until the window goes, and then has to be entered again: it is never written anywhere else.
 */
export class InviteStore {
  readonly #secrets: Pick<SecretStorage, 'get' | 'store' | 'delete'>;
  readonly #log: Log;
  #known: CompleteInvite | undefined;

  constructor(secrets: Pick<SecretStorage, 'get' | 'store' | 'delete'>, log: Log) {
    this.#secrets = secrets;
    this.#log = log;
  }

  /** Undefined when none is kept, or what is kept is of no use. */
  async get(): Promise<CompleteInvite | undefined> {
    try {
      const kept = await this.#secrets.get(KEY);
      if (kept === undefined) {
        return this.#known;
      }
      const invite = parseInvite(kept);
      return isComplete(invite) ? invite : this.#known;
    } catch (error) {
      this.#log.warn('invite not readable', { error: messageOf(error) });
      return this.#known;
    }
  }

  /** @returns whether it is kept beyond this window. */
  async keep(invite: CompleteInvite): Promise<boolean> {
    this.#known = invite;
    try {
      await this.#secrets.store(KEY, formatInvite(invite));
      return (await this.#secrets.get(KEY)) !== undefined;
    } catch (error) {
      this.#log.warn('invite not kept', { error: messageOf(error) });
      return false;
    }
  }

  async forget(): Promise<void> {
    this.#known = undefined;
    await this.#secrets.delete(KEY);
  }
}
