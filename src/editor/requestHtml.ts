import { fullTime, pointInTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import type { Attention, RequestAttention } from '../decisions/inbox.ts';
import { attentionText } from './decisionText.ts';
import type { Draft } from './panelMessage.ts';
import { answersHtml, escaped, page, stateHtml, type Choice, type PanelResources } from './panelPage.ts';
import { decidedByText } from './permissionText.ts';

export interface RequestWords {
  readonly sessionText: (session: string) => string;
  readonly say: Say;
  /** For times: milliseconds since the epoch. */
  readonly now: number;
}

/** A request in full: what exactly would run, which rule asks, for whom, and every answer that it can have. */
export function requestHtml(
  attention: Attention,
  draft: Draft,
  words: RequestWords,
  resources: PanelResources,
): string {
  const { decision, request } = attention;
  const { say } = words;
  const warning =
    request?.definitionChanged === true ? `<p class="warning">${escaped(say('panel.definitionChanged'))}</p>\n` : '';
  const body = `${warning}${factsHtml(attention, words)}
${decision.state === 'open' ? wouldRunHtml(attention, words) + requestAnswers(attention, draft, say) : endedHtml(attention, say)}`;
  return page({ title: say('request.title'), decision: decision.id, body }, resources);
}

/** What is known of it. After a reload that is less: who called, and why it was asked for, is not kept with the request. */
function factsHtml({ decision, waiting, request }: Attention, { sessionText, say, now }: RequestWords): string {
  const asked = waiting ?? decision.waiting;
  const { openedAt, expiresAt, scope, state } = decision;
  const time = fullTime(openedAt);
  const count = 1 + (request?.alike.length ?? 0);
  const facts: (readonly [string, string])[] = [
    [say('panel.tool'), asked === null ? '' : plainText(toolLabel(asked.tool))],
    [say('panel.askedBy'), request === undefined ? '' : decidedByText(request.askedBy, say)],
    [say('panel.agent'), request === undefined ? '' : agentText(request, say)],
    [say('panel.session'), sessionText(scope.session)],
    [
      say('panel.asked'),
      expiresAt === null || state !== 'open'
        ? time
        : say('panel.asked.expires', { time, expires: pointInTime(expiresAt, now) }),
    ],
    [say('panel.calls'), count === 1 ? '' : say('panel.calls.alike', { count })],
  ];
  const known = facts.filter(([, value]) => value !== '');
  return `<dl>
${known.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('\n')}
</dl>`;
}

function agentText({ surface, agent }: RequestAttention, say: Say): string {
  const name = say(`permissions.surface.${surface}`);
  return agent === null ? name : say('panel.agent.named', { surface: name, agent: plainText(agent) });
}

function wouldRunHtml(attention: Attention, { say, now }: RequestWords): string {
  const { description } = attention;
  const what =
    description === null
      ? `<p>${escaped(attentionText(attention, say, now))}</p>`
      : `<pre tabindex="0" role="region" aria-labelledby="run">${escaped(description)}</pre>`;
  return `<h2 id="run">${escaped(say('panel.wouldRun'))}</h2>\n${what}\n`;
}

function requestAnswers({ decision, waiting, request }: Attention, { note }: Draft, say: Say): string {
  const asked = waiting ?? decision.waiting;
  const tool = asked === null ? '' : plainText(toolLabel(asked.tool));
  const count = 1 + (request?.alike.length ?? 0);
  const once = count === 1 ? say('request.allow.detail') : say('request.allow.detail.many', { count });
  const remembered: readonly Choice[] = [
    {
      answer: 'approved',
      span: 'session',
      label: say('request.session'),
      effect: say('request.session.detail', { tool }),
    },
    {
      answer: 'approved',
      span: 'always',
      label: say('request.always'),
      effect: say('request.always.detail', { tool }),
    },
  ];
  const ofCall = request?.grantable === false;
  const choices: readonly Choice[] = [
    {
      answer: 'approved',
      label: say('request.allow'),
      effect: ofCall ? `${once}. ${say('request.ofCall')}` : once,
    },
    ...(ofCall ? [] : remembered),
    { answer: 'denied', label: say('request.deny'), effect: say('request.deny.detail') },
  ];
  return answersHtml(say('panel.request.words'), note, choices, say);
}

function endedHtml({ decision: { state } }: Attention, say: Say): string {
  const texts = { approved: 'panel.allowed', denied: 'panel.declined' } as const;
  return stateHtml(say(state === 'approved' || state === 'denied' ? texts[state] : 'review.state.closed'));
}
