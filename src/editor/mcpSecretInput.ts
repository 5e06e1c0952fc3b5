import { window } from 'vscode';
import type { Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import type { McpSecrets } from './mcpSecrets.ts';

/** Asks for the secrets that MCP servers need. They are typed as a password is, and go nowhere but to the secret storage. */
export class McpSecretInput {
  readonly #secrets: McpSecrets;
  readonly #onEntered: () => Promise<void>;
  readonly #say: Say;
  /** What is offered now: one notification for all the calls that need the same. */
  readonly #offered = new Set<string>();

  constructor(secrets: McpSecrets, onEntered: () => Promise<void>, say: Say) {
    this.#secrets = secrets;
    this.#onEntered = onEntered;
    this.#say = say;
  }

  /** Lets the person choose which one. @param named what the servers need; a name may come more than once. */
  async pick(named: readonly string[]): Promise<void> {
    const say = this.#say;
    const names = [...new Set(named)];
    if (names.length === 0) {
      void window.showInformationMessage(say('servers.secret.none', { example: '${secret:name}' }));
      return;
    }
    const known = await this.#secrets.get(names);
    const items = names.map((label) => ({
      label,
      description: say(known.has(label) ? 'servers.secret.isSet' : 'servers.secret.isMissing'),
    }));
    const picked = await window.showQuickPick(items, { title: say('servers.secret.pick') });
    if (picked !== undefined) {
      await this.enter(picked.label);
    }
  }

  /** @returns once it is entered, forgotten (left empty) or given up. */
  async enter(name: string): Promise<void> {
    const say = this.#say;
    const secret = plainText(name);
    const prompt = say('servers.secret.prompt', { secret });
    const value = await window.showInputBox({ title: 'Holdfast', prompt, password: true, ignoreFocusOut: true });
    if (value === undefined) {
      return;
    }
    if (value === '') {
      await this.#secrets.forget(name);
    } else if (!(await this.#secrets.set(name, value))) {
      void window.showWarningMessage(say('servers.secret.notKept', { secret }));
    }
    await this.#onEntered();
  }

  /** Tells the person that a call needed one. */
  async offer(server: string, name: string): Promise<void> {
    const say = this.#say;
    const needed = say('servers.secret.needed', { server: plainText(server), secret: plainText(name) });
    if (this.#offered.has(needed)) {
      return;
    }
    this.#offered.add(needed);
    try {
      const enter = say('servers.secret.enter');
      if ((await window.showWarningMessage(needed, enter)) === enter) {
        await this.enter(name);
      }
    } finally {
      this.#offered.delete(needed);
    }
  }
}
