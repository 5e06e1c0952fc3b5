import type { Draft } from '../editor/mcpDraft.ts';

interface VsCodeApi {
  postMessage(message: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** A server as the host knows it. */
interface Server {
  readonly draft: Draft;
  readonly hasProblem: boolean;
  readonly tools: readonly string[];
}

interface Problem {
  readonly field: string;
  readonly text: string;
}

type FromHost =
  | {
      readonly kind: 'servers';
      readonly servers: readonly Server[];
      readonly empty: Draft;
      readonly show?: string | null;
    }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[]; readonly status: string }
  | { readonly kind: 'saved'; readonly before: string | null; readonly id: string; readonly status: string }
  | { readonly kind: 'secrets'; readonly set: readonly string[] };

/*
 * The browser side of *Edit MCP Servers*. What comes from outside is set as text and as values, never as HTML. What is typed stays in this page
 * until it is saved, one draft for each server.
 */
const api = acquireVsCodeApi();
const words = JSON.parse(document.body.dataset['words'] ?? '{}') as Readonly<Record<string, string>>;
const say = (name: string, value = ''): string => (words[name] ?? '').replace('{0}', () => value);

const TEXTS = [
  'id',
  'command',
  'args',
  'cwd',
  'url',
  'startSeconds',
  'silenceSeconds',
  'totalSeconds',
  'tools',
] as const;
const PAIRS = ['env', 'headers'] as const;

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the page is ours: the caller knows what stands there.
const element = <Kind extends HTMLElement>(id: string): Kind => {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`The page has no ${id}.`);
  }
  return found as Kind;
};

const form = element<HTMLFormElement>('form');
const list = element<HTMLUListElement>('servers');
const status = element('status');

const page = {
  servers: [] as readonly Server[],
  empty: undefined as Draft | undefined,
  /** The server that is shown, by the name that it has in the settings; null: a new one. */
  shown: null as string | null,
  /** What is typed and not saved, by that name. */
  drafts: new Map<string | null, Draft>(),
  secretsSet: new Set<string>(),
};

const serverOf = (id: string | null): Server | undefined => page.servers.find(({ draft }) => draft.id === id);
const standing = (): Draft | undefined => serverOf(page.shown)?.draft ?? page.empty;

/** Reads the form as it is. */
function typed(): Draft {
  const texts = Object.fromEntries(TEXTS.map((name) => [name, element<HTMLInputElement>(name).value]));
  const kind = form.querySelector<HTMLInputElement>('input[name="kind"]:checked')?.value ?? 'stdio';
  return {
    ...(texts as Pick<Draft, (typeof TEXTS)[number]>),
    kind: kind as Draft['kind'],
    env: pairsIn('env'),
    headers: pairsIn('headers'),
    allTools: element<HTMLInputElement>('all-tools').checked,
    trust: element<HTMLInputElement>('trust').checked,
  };
}

function pairsIn(name: (typeof PAIRS)[number]): Draft['env'] {
  return Array.from(element(name).children, (row) => {
    const [key, value] = row.querySelectorAll('input');
    return { name: key?.value ?? '', value: value?.value ?? '' };
  });
}

function fill(draft: Draft): void {
  for (const name of TEXTS) {
    element<HTMLInputElement>(name).value = draft[name];
  }
  for (const radio of form.querySelectorAll<HTMLInputElement>('input[name="kind"]')) {
    radio.checked = radio.value === draft.kind;
  }
  for (const name of PAIRS) {
    element(name).replaceChildren(...draft[name].map((pair) => pairRow(pair.name, pair.value)));
  }
  element<HTMLInputElement>('all-tools').checked = draft.allTools;
  element<HTMLInputElement>('some-tools').checked = !draft.allTools;
  element<HTMLInputElement>('trust').checked = draft.trust;
}

function pairRow(name: string, value: string): HTMLElement {
  const row = document.createElement('div');
  row.className = 'pair';
  const key = input(name, say('pairName'));
  const remove = document.createElement('button');
  remove.type = 'button';
  remove.textContent = '×';
  const label = (): void => {
    remove.setAttribute('aria-label', say('removePair', key.value));
    remove.title = say('removePair', key.value);
  };
  label();
  key.addEventListener('input', label);
  remove.addEventListener('click', () => {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    const add = row.closest('fieldset')?.querySelector<HTMLElement>('[data-add]');
    row.remove();
    (next?.querySelector('input') ?? add)?.focus();
    changed();
  });
  row.append(key, input(value, say('pairValue')), remove);
  return row;
}

function input(value: string, label: string): HTMLInputElement {
  const field = document.createElement('input');
  field.type = 'text';
  field.spellcheck = false;
  field.autocomplete = 'off';
  field.value = value;
  field.placeholder = label;
  field.setAttribute('aria-label', label);
  return field;
}

/** Shows a server as it was typed, or as it stands. */
function show(id: string | null): void {
  page.shown = id;
  const draft = page.drafts.get(id) ?? standing();
  if (draft !== undefined) {
    fill(draft);
  }
  showProblems([]);
  status.textContent = '';
  arrange();
}

/** What depends on what is typed. */
function arrange(): void {
  const draft = typed();
  const isNew = serverOf(page.shown) === undefined;
  element('heading').textContent = isNew ? say('newServer') : say('heading', page.shown ?? '');
  for (const part of form.querySelectorAll<HTMLElement>('[data-kind]')) {
    part.hidden = (part.dataset['kind'] === 'stdio') !== (draft.kind === 'stdio');
  }
  const tools = element<HTMLTextAreaElement>('tools');
  tools.hidden = draft.allTools;
  element('fill-tools').hidden = draft.allTools || (serverOf(page.shown)?.tools.length ?? 0) === 0;
  element('trust-off').hidden = draft.trust;
  element('remove').hidden = isNew;
  element('discard').hidden = !page.drafts.has(page.shown);
  showList();
  showSecrets(draft);
}

function showList(): void {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['server'] : undefined;
  const isNew = serverOf(page.shown) === undefined;
  const rows = page.servers.map(({ draft, hasProblem }) => listRow(draft.id, draft.id, hasProblem));
  list.replaceChildren(...rows, ...(isNew && page.drafts.has(null) ? [listRow(null, say('newServer'), false)] : []));
  element('none').hidden = list.children.length > 0;
  if (focused !== undefined) {
    list.querySelector<HTMLElement>(`[data-server=${CSS.escape(focused)}]`)?.focus();
  }
}

function listRow(id: string | null, label: string, hasProblem: boolean): HTMLLIElement {
  const row = document.createElement('li');
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset['server'] = label;
  if (id === page.shown) {
    button.setAttribute('aria-current', 'true');
  }
  const notes = [...(hasProblem ? [say('hasProblem')] : []), ...(page.drafts.has(id) ? [say('unsaved')] : [])];
  const name = document.createElement('span');
  name.textContent = label;
  button.append(name);
  if (notes.length > 0) {
    const note = document.createElement('small');
    note.textContent = notes.join(', ');
    button.append(' ', note);
  }
  button.addEventListener('click', () => {
    show(id);
  });
  row.append(button);
  return row;
}

/** The secrets that the form names, whether each is set, and a way to set it. */
function showSecrets(draft: Draft): void {
  const values = (draft.kind === 'stdio' ? draft.env : draft.headers).map(({ value }) => value);
  const names = new Set(
    values.flatMap((value) => Array.from(value.matchAll(/\$\{secret:([^}]+)\}/g), ([, name = '']) => name)),
  );
  element('secrets').hidden = names.size === 0;
  const secrets = element('secret-list');
  if (secrets.dataset['names'] !== [...names].join('\n')) {
    secrets.dataset['names'] = [...names].join('\n');
    api.postMessage({ kind: 'secrets', names: [...names] });
  }
  secrets.replaceChildren(...Array.from(names, secretRow));
}

function secretRow(name: string): HTMLLIElement {
  const row = document.createElement('li');
  const isSet = page.secretsSet.has(name);
  const label = document.createElement('code');
  label.textContent = name;
  const state = document.createElement('span');
  state.className = isSet ? 'set' : 'missing';
  state.textContent = say(isSet ? 'secretIsSet' : 'secretIsMissing');
  const enter = document.createElement('button');
  enter.type = 'button';
  enter.textContent = say('enterSecret', name);
  enter.addEventListener('click', () => {
    api.postMessage({ kind: 'enterSecret', name });
  });
  row.append(label, state, enter);
  return row;
}

/** Marks the fields, says what is wrong beside them, and goes to the first. */
function showProblems(problems: readonly Problem[]): void {
  for (const field of form.querySelectorAll<HTMLElement>('[data-field]')) {
    const name = field.dataset['field'] ?? '';
    const own = problems.filter((problem) => problem.field === name).map(({ text }) => text);
    const note = document.getElementById(`${name}-problem`);
    if (note !== null) {
      note.textContent = own.join(' ');
      note.hidden = own.length === 0;
    }
    for (const control of field.querySelectorAll<HTMLElement>('input, textarea')) {
      if (control.closest('[data-field]') === field) {
        control.setAttribute('aria-invalid', String(own.length > 0));
      }
    }
  }
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}

function changed(): void {
  const draft = typed();
  if (JSON.stringify(draft) === JSON.stringify(normal(standing()))) {
    page.drafts.delete(page.shown);
  } else {
    page.drafts.set(page.shown, draft);
  }
  arrange();
}

/** In the order of `typed`, so that both can be compared as text. */
function normal(draft: Draft | undefined): Draft | undefined {
  return (
    draft && {
      ...(Object.fromEntries(TEXTS.map((name) => [name, draft[name]])) as Pick<Draft, (typeof TEXTS)[number]>),
      kind: draft.kind,
      env: draft.env.map(({ name, value }) => ({ name, value })),
      headers: draft.headers.map(({ name, value }) => ({ name, value })),
      allTools: draft.allTools,
      trust: draft.trust,
    }
  );
}

function take(message: FromHost): void {
  switch (message.kind) {
    case 'servers':
      takeServers(message.servers, message.empty, message.show);
      return;
    case 'problems':
      status.textContent = message.status;
      showProblems(message.problems);
      return;
    case 'saved':
      page.drafts.delete(message.before);
      show(message.id);
      status.textContent = message.status;
      return;
    case 'secrets':
      page.secretsSet = new Set(message.set);
      showSecrets(typed());
      return;
  }
}

function takeServers(servers: readonly Server[], empty: Draft, wished: string | null | undefined): void {
  const isFirst = page.empty === undefined;
  page.servers = servers;
  // Also told when a secret was entered somewhere else: it is asked for anew what is set.
  delete element('secret-list').dataset['names'];
  page.empty = empty;
  const isGone = page.shown !== null && serverOf(page.shown) === undefined;
  if (wished !== undefined || isFirst || isGone) {
    show(wished ?? (wished === null ? null : (servers[0]?.draft.id ?? null)));
    if (wished === null) {
      element('id').focus();
    }
  } else if (page.drafts.has(page.shown)) {
    arrange();
  } else {
    const said = status.textContent;
    show(page.shown);
    status.textContent = said;
  }
}

form.addEventListener('input', changed);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  showProblems([]);
  api.postMessage({ kind: 'save', before: serverOf(page.shown) === undefined ? null : page.shown, draft: typed() });
});
element('add').addEventListener('click', () => {
  show(null);
  element('id').focus();
});
element('discard').addEventListener('click', () => {
  page.drafts.delete(page.shown);
  show(page.shown);
});
element('remove').addEventListener('click', () => {
  api.postMessage({ kind: 'remove', id: page.shown });
});
element('fill-tools').addEventListener('click', () => {
  element<HTMLTextAreaElement>('tools').value = (serverOf(page.shown)?.tools ?? []).join('\n');
  changed();
});
for (const add of form.querySelectorAll<HTMLElement>('[data-add]')) {
  add.addEventListener('click', () => {
    const row = pairRow('', '');
    element(add.dataset['add'] ?? '').append(row);
    row.querySelector('input')?.focus();
  });
}

window.addEventListener('message', ({ data }: MessageEvent<FromHost>) => {
  take(data);
});
api.postMessage({ kind: 'ready' });
