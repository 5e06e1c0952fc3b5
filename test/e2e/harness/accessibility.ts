import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

/** The frame in which the visible webview draws the page of a decision. */
export function decisionFrame(page: Page): Promise<Frame> {
  return shownFrame(page, 'body[data-decision]');
}

/** The frame of a webview that shows this element. */
export async function shownFrame(page: Page, selector: string): Promise<Frame> {
  for (const frame of page.frames()) {
    const isShown = await frame
      .locator(selector)
      .isVisible()
      .catch(() => false);
    if (isShown) {
      return frame;
    }
  }
  throw new Error(`No webview shows ${selector}.`);
}

/** Waits until the page has the focus. Asked again and again: its policy lets no script of ours wait in it. */
export async function untilFocused(frame: Frame): Promise<void> {
  while (!(await frame.evaluate<boolean>('document.hasFocus()'))) {
    await new Promise(setImmediate);
  }
}

/** What axe finds on a page that is serious or worse, one line for each finding. */
export async function seriousFindings(frame: Frame): Promise<readonly string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return await frame.evaluate<readonly string[]>(`(async () => {
    ${axe};
    const { violations } = await globalThis.axe.run(document);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join(' | '));
  })()`);
}
