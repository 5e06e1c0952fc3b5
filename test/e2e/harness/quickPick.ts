import type { Locator, Page } from 'playwright-core';

/** The list or input box at the top of the window: the command palette, an extension's pick, an input. */
export class QuickPick {
  readonly element: Locator;
  readonly input: Locator;

  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.element = page.locator('.quick-input-widget:visible');
    // What is typed as a secret has a box of another kind.
    this.input = this.element.locator('.quick-input-filter').locator('input[type="text"], input[type="password"]');
  }

  async title(): Promise<string> {
    return (await this.element.locator('.quick-input-title').innerText()).trim();
  }

  /** The rows that are drawn now, as a person reads them: label, description and detail in one line each. */
  async rows(): Promise<string[]> {
    const rows = await this.#rows().allInnerTexts();
    return rows.map((row) => row.replace(/\s*\n\s*/g, ' ').trim());
  }

  /** Waits for a row that holds this text and takes it. */
  async pick(text: RegExp | string): Promise<void> {
    await this.#rows().filter({ hasText: text }).first().click();
  }

  /** Types into the input, over what stood there. */
  async type(text: string): Promise<void> {
    await this.input.fill(text);
  }

  async accept(): Promise<void> {
    await this.input.press('Enter');
  }

  async escape(): Promise<void> {
    await this.input.press('Escape');
    await this.element.waitFor({ state: 'hidden' });
  }

  /** Waits for the row with exactly this label and takes it. */
  async pickLabel(label: string): Promise<void> {
    const exact = new RegExp(`^\\s*${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);
    const labels = this.#page.locator('.monaco-icon-label .label-name').filter({ hasText: exact });
    await this.#rows().filter({ has: labels }).first().click();
  }

  /** Waits until one is open. */
  static async opened(page: Page, timeoutMs = 30_000): Promise<QuickPick> {
    const pick = new QuickPick(page);
    await pick.input.waitFor({ timeout: timeoutMs });
    return pick;
  }

  /** Opens the command palette. */
  static async palette(page: Page): Promise<QuickPick> {
    await page.keyboard.press('F1');
    return QuickPick.opened(page);
  }

  #rows(): Locator {
    return this.element.locator('.quick-input-list .monaco-list-row');
  }
}
