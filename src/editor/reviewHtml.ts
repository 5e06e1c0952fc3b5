import type { ActionRecord } from '../core/action.ts';
import { howItEnded } from '../core/actionText.ts';
import { personVerdicts } from '../core/evidence.ts';
import { FINDING_NOTE_LIMIT } from '../core/foundText.ts';
import { fullTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import type { Attention } from '../decisions/inbox.ts';
import { evidenceTexts } from './decisionText.ts';
import type { Draft } from './panelMessage.ts';
import { answersHtml, escaped, page, stateHtml, type PanelResources } from './panelPage.ts';

/** A recovery review in full: exactly the actions that it names, what waits, and the answers as long as it is open. */
export function reviewHtml(attention: Attention, draft: Draft, say: Say, resources: PanelResources): string {
  const { decision } = attention;
  const isOpen = decision.state === 'open';
  const bodies = decision.actions.map((action) => {
    return `<tbody data-action="${escaped(action.id)}">
${factsHtml(action, say)}${isOpen ? findingHtml(action, draft, say) : ''}
</tbody>`;
  });
  const columns = (['tool', 'time', 'ending', 'evidence'] as const).map(
    (name) => `<th scope="col">${escaped(say(`review.column.${name}`))}</th>`,
  );
  const body = `<p class="explanation">${escaped(say('review.explanation'))}</p>
<h2 id="earlier">${escaped(say('review.heading.earlier'))}</h2>
<table aria-labelledby="earlier">
<thead><tr>${columns.join('')}</tr></thead>
${bodies.join('\n')}
</table>
${isOpen ? waitingHtml(attention, say) + reviewAnswers(attention, draft, say) : endedHtml(attention, say)}`;
  return page({ title: say('review.title'), decision: decision.id, body }, resources);
}

function factsHtml(action: ActionRecord, say: Say): string {
  const evidence = evidenceTexts(action, say).map(({ text }) => text);
  const known = evidence.length === 0 ? [say('panel.noEvidence')] : evidence;
  return `<tr>
<th scope="row">${escaped(plainText(toolLabel(action.tool)))}</th>
<td>${escaped(fullTime(action.startedAt))}</td>
<td>${escaped(howItEnded(action, say))}</td>
<td>${known.map((text) => `<div>${escaped(text)}</div>`).join('')}</td>
</tr>`;
}

/** What the person found out about one action: a word and a note, both optional. */
function findingHtml({ id, tool, startedAt }: ActionRecord, draft: Draft, say: Say): string {
  const about = { tool: plainText(toolLabel(tool)), time: fullTime(startedAt) };
  const found = draft.findings.find(({ actionId }) => actionId === id);
  const verdicts = personVerdicts.map((verdict) => {
    const checked = found?.verdict === verdict ? ' checked' : '';
    return `<label><input type="radio" name="verdict-${escaped(id)}" value="${verdict}"${checked}> ${escaped(
      say(`finding.${verdict}`),
    )}</label>`;
  });
  return `
<tr class="finding"><td colspan="4">
<fieldset>
<legend>${escaped(say('finding.legend'))} <span class="aloud">${escaped(say('finding.about', about))}</span></legend>
${verdicts.join('\n')}
<input type="text" aria-label="${escaped(say('finding.note', about))}" placeholder="${escaped(
    say('finding.note.placeholder'),
  )}" maxlength="${FINDING_NOTE_LIMIT}" value="${escaped(found?.note ?? '')}">
</fieldset>
</td></tr>`;
}

function waitingHtml({ waiting, description }: Attention, say: Say): string {
  const heading = `<h2 id="waiting">${escaped(say('review.heading.waiting'))}</h2>`;
  if (waiting === null || description === null) {
    return `${heading}\n<p>${escaped(say('review.argumentsNotKept'))}</p>\n`;
  }
  const tool = escaped(plainText(toolLabel(waiting.tool)));
  return `${heading}\n<p>${tool}</p>\n<pre tabindex="0" role="region" aria-labelledby="waiting">${escaped(description)}</pre>\n`;
}

function reviewAnswers({ waiting }: Attention, { note }: Draft, say: Say): string {
  const who = waiting === null ? 'nobodyWaits' : 'waiting';
  return answersHtml(
    say('panel.review.words'),
    note,
    [
      { answer: 'approved', label: say('review.approve'), effect: say(`panel.approve.${who}`) },
      { answer: 'denied', label: say('review.deny'), effect: say(`panel.deny.${who}`) },
    ],
    say,
  );
}

function endedHtml({ decision: { state } }: Attention, say: Say): string {
  return stateHtml(say(state === 'approved' || state === 'denied' ? `review.state.${state}` : 'review.state.closed'));
}
