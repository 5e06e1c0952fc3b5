import type { BrowserContext, Locator, Page } from 'playwright-core';

/** The model that the companion extension in `test/host/scriptedModel` registers. */
const MODEL = 'Scripted One';

/** VS Code's own chat view in agent mode, on the scripted model. Needs a window opened with `agentMode: true`. */
export class Chat {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Shows the chat view and waits until the scripted model is the chosen one. */
  async open(): Promise<void> {
    const input = this.#input();
    if (!(await input.isVisible())) await this.#page.keyboard.press('Control+Alt+I');
    await input.waitFor();
    await this.#modelChosen();
  }

  /** Sends one prompt. `CALL <toolRegex> {json}` makes the model call that tool. */
  async send(prompt: string): Promise<void> {
    // After a restart of the host both are there again a moment later; without them VS Code asks to sign in.
    await this.#modelChosen();
    await this.#input().click();
    // Over what VS Code may have kept there from before a reload.
    await this.#page.keyboard.press('Control+A');
    await this.#page.keyboard.insertText(prompt);
    // The button is enabled once the text has reached it; a click also leaves a suggestion list alone.
    const send = '.interactive-input-part .action-item:not(.disabled) > .action-label[aria-label^="Send"]';
    await this.#page.locator(send).click();
  }

  /** The newest question whether a tool may run. */
  async confirmation(): Promise<Locator> {
    const widget = this.#page.locator('.chat-confirmation-widget2:visible').last();
    await widget.waitFor();
    return widget;
  }

  /** Lets the asked tool run this once. */
  async allow(): Promise<void> {
    const widget = await this.confirmation();
    await widget.locator('.monaco-dropdown-button').click();
    // By key: a menu takes no click in its first tenth of a second.
    const once = this.#page.locator('.monaco-menu .action-menu-item').filter({ hasText: 'Allow Once' });
    await once.hover();
    await this.#page.keyboard.press('Enter');
    await once.waitFor({ state: 'detached' });
  }

  /** Says no to the asked tool. */
  async skip(): Promise<void> {
    await (
      await this.confirmation()
    )
      .getByRole('button', { name: /Skip|Cancel|Deny/ })
      .first()
      .click();
  }

  /** Waits for an answer of the model that holds this text. */
  async answer(text: RegExp | string): Promise<string> {
    const item = this.#page
      .locator('.interactive-item-container.interactive-response')
      .filter({ hasText: text })
      .last();
    await item.waitFor();
    return item.innerText();
  }

  /**
   * Makes the built-in chat extension load without sign-in: it reads these keys of the web workbench's storage on its
   * first start, so they are written from a page of the same origin before any window is open.
   */
  static async prepare(context: BrowserContext, url: string): Promise<void> {
    const page = await context.newPage();
    await page.goto(`${url}/no-such-page`);
    await page.evaluate(seedScript());
    await page.close();
  }

  async #modelChosen(): Promise<void> {
    // The companion says so when VS Code's chat has activated; the model may be chosen from memory before that.
    await this.#page.locator('.statusbar-item').filter({ hasText: 'Chat ready' }).waitFor();
    await this.#page.locator('.interactive-input-part').filter({ hasText: MODEL }).first().waitFor();
  }

  #input(): Locator {
    return this.#page.locator('.interactive-input-part .monaco-editor').first();
  }
}

/** A string, because it runs in the page. */
function seedScript(): string {
  const setup = {
    entitlement: 1,
    installed: true,
    completed: true,
    disabled: false,
    untrusted: false,
    disabledInWorkspace: false,
  };
  const items = { builtinChatExtensionEnablementMigration: 'true', 'chat.setupContext': JSON.stringify(setup) };
  return `(async () => {
    const database = await new Promise((resolve, reject) => {
      const request = indexedDB.open('vscode-web-state-db-global', 1);
      request.onupgradeneeded = () => request.result.createObjectStore('ItemTable');
      request.onsuccess = () => resolve(request.result);
      request.onerror = reject;
    });
    const transaction = database.transaction('ItemTable', 'readwrite');
    for (const [key, value] of Object.entries(${JSON.stringify(items)})) transaction.objectStore('ItemTable').put(value, key);
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    database.close();
  })()`;
}
