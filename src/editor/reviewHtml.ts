import type { ActionRecord } from '../core/action.ts';
import { howItEnded } from '../core/actionText.ts';
import { lostTogetherTexts } from '../core/lostTogether.ts';
import { fullTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import type { Attention } from '../decisions/inbox.ts';
import { evidenceTexts } from './decisionText.ts';

export interface PanelResources {
  readonly script: string;
  readonly style: string;
  readonly cspSource: string;
  readonly nonce: string;
}

/**
 * The review panel's page. Names and notes come from outside: everything is escaped, nothing inline or remote runs.
 *
 * @param draft the note as far as it was typed.
 */
export function reviewHtml(attention: Attention, draft: string, say: Say, resources: PanelResources): string {
  const { decision } = attention;
  return page(
    say,
    resources,
    `data-decision="${escaped(decision.id)}"`,
    `<p class="explanation">${escaped(say('review.explanation'))}</p>
<h2>${escaped(say('review.heading.earlier'))}</h2>
${lostTogetherTexts(decision.actions, say)
  .map((text) => `<p>${escaped(text)}</p>\n`)
  .join('')}${actionTable(decision.actions, say)}
${decision.state === 'open' ? waitingCall(attention, say) + form(draft, say) : state(attention, say)}`,
  );
}

/** A page that only says something. It keeps no state of its own, so that what the panel kept stays. */
export function noticeHtml(notice: string, say: Say, resources: PanelResources): string {
  return page(say, resources, '', `<p role="status">${escaped(notice)}</p>`);
}

function page(say: Say, { script, style, cspSource, nonce }: PanelResources, attributes: string, body: string): string {
  const csp = `default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'`;
  const title = escaped(say('review.title'));
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(style)}">
<title>${title}</title>
</head>
<body ${attributes}>
<main>
<h1>${title}</h1>
${body}
</main>
<script nonce="${nonce}" type="module" src="${escaped(script)}"></script>
</body>
</html>`;
}

function actionTable(actions: readonly ActionRecord[], say: Say): string {
  const columns = (['tool', 'time', 'ending', 'evidence'] as const).map((name) => say(`review.column.${name}`));
  const rows = actions.map((action) => [
    plainText(toolLabel(action.tool)),
    fullTime(action.startedAt),
    howItEnded(action, say),
    evidenceTexts(action, say)
      .map(({ text }) => text)
      .join('; '),
  ]);
  return `<table>
<thead><tr>${columns.map((column) => `<th scope="col">${escaped(column)}</th>`).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`).join('\n')}</tbody>
</table>`;
}

function waitingCall({ waiting, description }: Attention, say: Say): string {
  const heading = `<h2>${escaped(say('review.heading.waiting'))}</h2>`;
  if (waiting === null || description === null) {
    return `${heading}\n<p>${escaped(say('review.argumentsNotKept'))}</p>\n`;
  }
  const tool = escaped(plainText(toolLabel(waiting.tool)));
  return `${heading}\n<p>${tool}</p>\n<pre tabindex="0">${escaped(description)}</pre>\n`;
}

function form(draft: string, say: Say): string {
  return `<form id="answer">
<label for="note">${escaped(say('review.heading.note'))}</label>
<textarea id="note" rows="3" maxlength="4000">
${escaped(draft)}</textarea>
<div class="buttons">
<button type="button" class="primary" data-answer="approved">${escaped(say('review.approve'))}</button>
<button type="button" data-answer="denied">${escaped(say('review.deny'))}</button>
</div>
<p id="recording" role="status" hidden>${escaped(say('review.recording'))}</p>
</form>`;
}

function state({ decision: { state: decided } }: Attention, say: Say): string {
  const text = say(decided === 'approved' || decided === 'denied' ? `review.state.${decided}` : 'review.state.closed');
  return `<p class="state" role="status">${escaped(text)}</p>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
