import type { Say } from '../core/messages.ts';

export interface PanelResources {
  readonly script: string;
  readonly style: string;
  readonly cspSource: string;
  readonly nonce: string;
  /** Of the texts, e.g. `en`. */
  readonly language: string;
}

/** What a page shows. All of it but the title is markup: what comes from outside goes through {@link escaped} first. */
export interface PageContent {
  readonly title: string;
  /** The decision that the panel keeps across a reload; undefined: what it kept stays. */
  readonly decision?: string;
  readonly body: string;
}

/** The page of a panel: nothing inline or remote runs, and nothing is sent anywhere. */
export function page({ title, decision, body }: PageContent, resources: PanelResources): string {
  const { script, style, cspSource, nonce, language } = resources;
  const csp = `default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'; form-action 'none'; base-uri 'none'`;
  const attribute = decision === undefined ? '' : ` data-decision="${escaped(decision)}"`;
  return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(style)}">
<title>${escaped(title)}</title>
</head>
<body${attribute}>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
<script nonce="${nonce}" type="module" src="${escaped(script)}"></script>
</body>
</html>`;
}

/** A page that only says something. */
export function noticeHtml(notice: string, say: Say, resources: PanelResources): string {
  return page({ title: say('review.title'), body: `<p role="status">${escaped(notice)}</p>` }, resources);
}

/** What a decided or ended decision has come to. */
export function stateHtml(text: string): string {
  return `<p class="state" role="status">${escaped(text)}</p>`;
}

/** One answer that can be given, and what it does. */
export interface Choice {
  readonly answer: 'approved' | 'denied';
  /** How long an approval is remembered. */
  readonly span?: 'session' | 'always';
  readonly label: string;
  readonly effect: string;
}

/** A box for the person's own words, and the answers. The first answer is the one that is offered most. */
export function answersHtml(wordsLabel: string, words: string, choices: readonly Choice[], say: Say): string {
  const buttons = choices.map(
    ({ answer, span, label, effect }, index) =>
      `<button type="button"${index === 0 ? ' class="primary"' : ''} data-answer="${answer}"${
        span === undefined ? '' : ` data-span="${span}"`
      } aria-describedby="effect-${index}">${escaped(label)}</button>
<span id="effect-${index}">${escaped(effect)}</span>`,
  );
  return `<section class="answer">
<label for="note">${escaped(wordsLabel)}</label>
<textarea id="note" rows="3" maxlength="4000">
${escaped(words)}</textarea>
<div class="choices">
${buttons.join('\n')}
</div>
<p id="recording" role="status" hidden>${escaped(say('review.recording'))}</p>
</section>`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
