import type { Locator, Page } from 'playwright-core';

/** A modal dialog of VS Code. */
export class Dialog {
  readonly element: Locator;

  constructor(element: Locator) {
    this.element = element;
  }

  /** Message and detail. */
  async text(): Promise<string> {
    return (await this.element.locator('.dialog-message-container').innerText()).trim();
  }

  async buttons(): Promise<string[]> {
    const names = await this.element.locator('.dialog-buttons .monaco-button').allInnerTexts();
    return names.map((name) => name.trim());
  }

  /** Presses the button with exactly this name and waits until the dialog is gone. */
  async click(button: string): Promise<void> {
    await this.element.getByRole('button', { name: button, exact: true }).click();
    await this.element.waitFor({ state: 'detached' });
  }

  /** Leaves the dialog without an answer. */
  async escape(): Promise<void> {
    await this.element.press('Escape');
    await this.element.waitFor({ state: 'detached' });
  }

  static async find(page: Page, text: RegExp | string, timeoutMs: number): Promise<Dialog> {
    const element = page.locator('.monaco-dialog-box').filter({ hasText: text });
    await element.waitFor({ timeout: timeoutMs });
    return new Dialog(element);
  }
}
