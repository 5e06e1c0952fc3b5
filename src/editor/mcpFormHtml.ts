import type { Say } from '../core/messages.ts';
import { usualLimits } from './mcpDraft.ts';
import { escaped, type PanelResources } from './panelPage.ts';

/** The page of *Edit MCP Servers*: all its words and fields, and no value. The script fills in the servers as text, never as HTML. */
export function mcpFormHtml(say: Say, { script, style, cspSource, nonce, language }: PanelResources): string {
  const csp = `default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'`;
  const title = escaped(say('form.title'));
  return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(style)}">
<title>${title}</title>
</head>
<body data-words="${escaped(JSON.stringify(words(say)))}">
<header>
<h1>${title}</h1>
<p>${escaped(say('form.intro'))}</p>
</header>
<div class="columns">
<nav aria-labelledby="list-heading">
<h2 id="list-heading">${escaped(say('form.list'))}</h2>
<ul id="servers"></ul>
<p id="none" class="hint" hidden>${escaped(say('form.none'))}</p>
<button type="button" id="add">${escaped(say('form.add'))}</button>
</nav>
<main>
${form(say)}
</main>
</div>
<script nonce="${nonce}" type="module" src="${escaped(script)}"></script>
</body>
</html>`;
}

/** What the script says by itself. */
function words(say: Say): Readonly<Record<string, string>> {
  return {
    heading: say('form.heading', { server: '{0}' }),
    newServer: say('form.new'),
    unsaved: say('form.unsaved'),
    hasProblem: say('form.hasProblem'),
    pairName: say('form.pair.name'),
    pairValue: say('form.pair.value'),
    removePair: say('form.pair.remove', { name: '{0}' }),
    secretIsSet: say('form.secret.set'),
    secretIsMissing: say('form.secret.missing'),
    enterSecret: say('form.secret.enter', { secret: '{0}' }),
  };
}

function form(say: Say): string {
  const secretHint = say('form.pair.hint', { example: '${secret:name}' });
  return `<form id="form" novalidate aria-labelledby="heading">
<h2 id="heading"></h2>
<p id="status" role="status"></p>
${textField('id', say('form.id'), say('form.id.hint'))}
${kinds(say)}
<div data-kind="stdio">
${textField('command', say('form.command'))}
${areaField('args', say('form.args'), say('form.args.hint', { example: '${workspaceFolder}' }))}
${textField('cwd', say('form.cwd'), say('form.cwd.hint'))}
${pairs('env', say('form.env'), secretHint, say)}
</div>
<div data-kind="url">
${textField('url', say('form.url'))}
${pairs('headers', say('form.headers'), secretHint, say)}
</div>
<fieldset id="secrets" hidden>
<legend>${escaped(say('form.secrets'))}</legend>
<ul id="secret-list"></ul>
</fieldset>
${trust(say)}
${tools(say)}
${limits(say)}
<div class="buttons">
<button type="submit" class="primary">${escaped(say('form.save'))}</button>
<button type="button" id="discard">${escaped(say('form.discard'))}</button>
<button type="button" id="remove">${escaped(say('form.remove'))}</button>
</div>
</form>`;
}

function kinds(say: Say): string {
  const options = (['stdio', 'http', 'sse'] as const).map(
    (kind) =>
      `<label class="choice"><input type="radio" name="kind" value="${kind}"> ${escaped(say(`form.kind.${kind}`))}</label>`,
  );
  return `<fieldset data-field="type">
<legend>${escaped(say('form.kind'))}</legend>
${options.join('\n')}
${problem('type')}
</fieldset>`;
}

/** What it says stands before the switch can be reached, and belongs to it for whoever hears the page. */
function trust(say: Say): string {
  return `<fieldset data-field="trustRecoveryHints" class="trust">
<legend>${escaped(say('form.trust'))}</legend>
<p id="trust-hint">${escaped(say('form.trust.hint'))}</p>
<p id="trust-never" class="warning">${escaped(say('form.trust.never'))}</p>
<p id="trust-bound">${escaped(say('form.trust.bound'))}</p>
<label class="choice"><input type="checkbox" role="switch" id="trust" aria-describedby="trust-hint trust-never trust-bound trust-off"> ${escaped(say('form.trust'))}</label>
<p id="trust-off" class="hint">${escaped(say('form.trust.off'))}</p>
</fieldset>`;
}

function tools(say: Say): string {
  return `<fieldset data-field="enabledTools">
<legend>${escaped(say('form.tools'))}</legend>
<label class="choice"><input type="radio" name="tools-kind" id="all-tools" value="all"> ${escaped(say('form.tools.all'))}</label>
<label class="choice"><input type="radio" name="tools-kind" id="some-tools" value="some"> ${escaped(say('form.tools.some'))}</label>
<textarea id="tools" rows="4" spellcheck="false" aria-label="${escaped(say('form.tools.some'))}" aria-describedby="enabledTools-problem"></textarea>
<button type="button" id="fill-tools" hidden>${escaped(say('form.tools.fill'))}</button>
${problem('enabledTools')}
</fieldset>`;
}

function limits(say: Say): string {
  const fields = [
    limit('startSeconds', say('form.limit.start')),
    limit('silenceSeconds', say('form.limit.silence')),
    limit('totalSeconds', say('form.limit.total')),
  ];
  return `<fieldset data-field="timeLimits">
<legend>${escaped(say('form.limits'))}</legend>
<div class="limits">
${fields.join('\n')}
</div>
<p class="hint">${escaped(say('form.limit.hint'))}</p>
${problem('timeLimits')}
</fieldset>`;
}

function limit(name: keyof typeof usualLimits, label: string): string {
  return `<div class="field" data-field="timeLimits.${name}">
<label for="${name}">${escaped(label)}</label>
<input id="${name}" type="text" inputmode="numeric" placeholder="${usualLimits[name]}" aria-describedby="timeLimits.${name}-problem">
${problem(`timeLimits.${name}`)}
</div>`;
}

function textField(name: string, label: string, hint?: string): string {
  return `<div class="field" data-field="${name}">
<label for="${name}">${escaped(label)}</label>
<input id="${name}" type="text" spellcheck="false" autocomplete="off" aria-describedby="${name}-hint ${name}-problem">
${hint === undefined ? '' : `<p class="hint" id="${name}-hint">${escaped(hint)}</p>`}
${problem(name)}
</div>`;
}

function areaField(name: string, label: string, hint: string): string {
  return `<div class="field" data-field="${name}">
<label for="${name}">${escaped(label)}</label>
<textarea id="${name}" rows="3" spellcheck="false" aria-describedby="${name}-hint ${name}-problem"></textarea>
<p class="hint" id="${name}-hint">${escaped(hint)}</p>
${problem(name)}
</div>`;
}

function pairs(name: 'env' | 'headers', label: string, hint: string, say: Say): string {
  return `<fieldset data-field="${name}" aria-describedby="${name}-hint ${name}-problem">
<legend>${escaped(label)}</legend>
<div id="${name}" class="pairs"></div>
<button type="button" data-add="${name}">${escaped(say('form.pair.add'))}</button>
<p class="hint" id="${name}-hint">${escaped(hint)}</p>
${problem(name)}
</fieldset>`;
}

function problem(name: string): string {
  return `<p class="problem" id="${name}-problem" hidden></p>`;
}
