import type { Locator, Page } from 'playwright-core';

/** A tree in the side bar, in a container on the activity bar. */
export class TreeView {
  readonly #page: Page;
  readonly #container: string;
  readonly #view: string;

  /**
   * @param container as the activity bar names it.
   * @param view as its header names it.
   */
  constructor(page: Page, container: string, view: string) {
    this.#page = page;
    this.#container = container;
    this.#view = view;
  }

  /** Shows it by a click on its icon. */
  async open(): Promise<void> {
    await this.#icon().locator('.action-label').click();
    await this.element.waitFor();
  }

  get element(): Locator {
    const title = this.#page.locator('.pane-header h3').filter({ hasText: new RegExp(`^${this.#view}$`) });
    return this.#page.locator('.sidebar .pane').filter({ has: title }).locator('.pane-body');
  }

  /** The row that shows this text. */
  row(text: RegExp | string): Locator {
    return this.element.locator('.monaco-list-row').filter({ hasText: text });
  }

  /** The number on its icon. */
  badge(value: number): Locator {
    return this.#icon()
      .locator('.badge-content')
      .filter({ hasText: new RegExp(`^${value}$`), visible: true });
  }

  /** Waits until its icon shows no number. */
  async noBadge(): Promise<void> {
    await this.#icon().locator('.badge-content').filter({ visible: true }).waitFor({ state: 'detached' });
  }

  /** Presses one of the buttons that a row shows to the mouse. */
  async press(row: Locator, button: string): Promise<void> {
    await row.hover();
    await row.getByRole('button', { name: button, exact: true }).click();
  }

  #icon(): Locator {
    return this.#page
      .locator('.activitybar .action-item')
      .filter({ has: this.#page.locator(`.action-label[aria-label^="${this.#container}"]`) });
  }
}
