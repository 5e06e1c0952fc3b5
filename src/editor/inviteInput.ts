import { readFile } from 'node:fs/promises';
import { window } from 'vscode';
import { HoldfastError, codeOf, describe } from '../core/errors.ts';
import { text, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { parseAddress } from '../journal/postgres/address.ts';
import {
  isCertificate,
  looksLikeInvite,
  newInvite,
  parseInvite,
  type Invite,
  type PostgresAddress,
} from '../journal/postgres/invite.ts';
import type { CompleteInvite } from './postgresOpening.ts';

/** Asks for the way to a PostgreSQL journal, and for whatever the answer leaves out. All of it is typed as a password is. */
export class InviteInput {
  readonly #say: Say;

  constructor(say: Say) {
    this.#say = say;
  }

  /**
   * @param kept what an empty answer stands for.
   * @returns undefined when the person gives up.
   * @throws HoldfastError `invalid_invite` when a certificate file cannot be read, or is none.
   */
  async ask(kept: CompleteInvite | undefined): Promise<CompleteInvite | undefined> {
    const say = this.#say;
    const typed = await window.showInputBox({
      title: say('change.ask.title'),
      prompt: say(kept === undefined ? 'change.ask.invite' : 'change.ask.inviteOrKept'),
      placeHolder: say('change.ask.inviteExample'),
      password: true,
      ignoreFocusOut: true,
      validateInput: (value) => this.#problem(value, kept !== undefined),
    });
    if (typed === undefined) {
      return undefined;
    }
    return typed.trim() === '' ? kept : this.#complete(await inviteFrom(typed, kept));
  }

  /** The same invite with the password asked again. */
  async askPassword(invite: CompleteInvite): Promise<CompleteInvite | undefined> {
    return this.#complete({ ...invite, password: null });
  }

  async #complete(invite: Invite): Promise<CompleteInvite | undefined> {
    const say = this.#say;
    const title = say('change.ask.title');
    const { host, database } = invite;
    const where = { host: plainText(host), database: plainText(database) };
    const user =
      invite.user ??
      (await window.showInputBox({ title, prompt: say('change.ask.role', where), ignoreFocusOut: true }))?.trim();
    if (user === undefined || user === '') {
      return undefined;
    }
    const prompt = say('change.ask.password', { user: plainText(user) });
    const password =
      invite.password ?? (await window.showInputBox({ title, prompt, password: true, ignoreFocusOut: true }));
    return password === undefined ? undefined : { ...invite, user, password };
  }

  /** Why what is typed cannot be used; null while it can, or nothing is typed yet. */
  #problem(value: string, mayBeEmpty: boolean): string | null {
    if (value.trim() === '') {
      return mayBeEmpty ? null : '';
    }
    try {
      if (looksLikeInvite(value)) {
        parseInvite(value);
      } else {
        parseAddress(value);
      }
      return null;
    } catch (error) {
      return describe(error, this.#say);
    }
  }
}

/** An address begins a journal, which gets a key of its own; that of the database whose invite is kept has one already. */
async function inviteFrom(typed: string, kept: Invite | undefined): Promise<Invite> {
  if (looksLikeInvite(typed)) {
    return parseInvite(typed);
  }
  const { address, caFile } = parseAddress(typed);
  const tls = caFile === null ? address.tls : { ...address.tls, ca: await certificate(caFile) };
  const { key, keyId } = kept !== undefined && isSameDatabase(kept, address) ? kept : newInvite(address);
  return { ...address, tls, key, keyId };
}

function isSameDatabase(one: PostgresAddress, other: PostgresAddress): boolean {
  return one.host === other.host && one.port === other.port && one.database === other.database;
}

async function certificate(file: string): Promise<string> {
  let pem: string;
  try {
    pem = await readFile(file, 'utf8');
  } catch (error) {
    throw new HoldfastError('invalid_invite', text('change.caUnreadable', { code: codeOf(error) ?? '?' }));
  }
  // An invite with anything else could be kept, and never be read again.
  if (!isCertificate(pem)) {
    throw new HoldfastError('invalid_invite', text('change.caNoCertificate'));
  }
  return pem;
}
