import type { Locator, Page } from 'playwright-core';

/** A notification on the screen: a toast, or a row of the notification centre. */
export class Toast {
  readonly element: Locator;

  constructor(element: Locator) {
    this.element = element;
  }

  /** The message as a person reads it, without the names of the buttons. */
  async text(): Promise<string> {
    return (await this.element.locator('.notification-list-item-message').innerText()).trim();
  }

  /** The names of its buttons, left to right. */
  async buttons(): Promise<string[]> {
    const names = await this.element
      .locator('.notification-list-item-buttons-container .monaco-button')
      .allInnerTexts();
    return names.map((name) => name.trim());
  }

  /** Presses the button with exactly this name and waits until the notification is gone. */
  async click(button: string): Promise<void> {
    await this.press(button);
    await this.gone();
  }

  /** Presses the button and waits for nothing. */
  async press(button: string): Promise<void> {
    await this.element.getByRole('button', { name: button, exact: true }).click();
  }

  /** Closes it by the cross, as a person does who wants it out of sight. */
  async close(): Promise<void> {
    await this.element.hover();
    await this.element.locator('.action-label.codicon-notifications-clear').click();
    await this.gone();
  }

  async gone(): Promise<void> {
    await this.element.waitFor({ state: 'detached' });
  }

  /** The toasts on the screen now, newest first. */
  static async all(page: Page): Promise<Toast[]> {
    return (await toastElements(page).all()).map((element) => new Toast(element));
  }

  /** Waits for a toast with this text. */
  static async find(page: Page, text: RegExp | string, timeoutMs: number): Promise<Toast> {
    const element = toastElements(page).filter({ hasText: text }).first();
    await element.waitFor({ timeout: timeoutMs });
    return new Toast(element);
  }

  /** Opens the notification centre, where hidden notifications are, and gives its rows. */
  static async inCentre(page: Page): Promise<Toast[]> {
    const centre = page.locator('.notifications-center.visible');
    if ((await centre.count()) === 0) await page.locator('.statusbar-item#status\\.notifications').click();
    await centre.waitFor();
    return (await centre.locator('.notification-list-item').all()).map((element) => new Toast(element));
  }
}

function toastElements(page: Page): Locator {
  return page.locator('.notifications-toasts .notification-toast');
}
