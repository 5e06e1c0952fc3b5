import * as z from 'zod/v4';
import { text, type Text } from '../core/messages.ts';
import { DEFAULT_LIMITS, readServer, type SettingProblem } from './mcpSettings.ts';

const line = z.string().max(10_000);
const lines = z.string().max(100_000);
const pair = z.strictObject({ name: line, value: line });
const pairs = z.array(pair).max(200);

/** What stands in the form, as it was typed. */
export const draftSchema = z.strictObject({
  id: line,
  kind: z.enum(['stdio', 'http', 'sse']),
  command: line,
  /** One a line. */
  args: lines,
  cwd: line,
  env: pairs,
  url: line,
  headers: pairs,
  /** In seconds; empty: the usual. */
  startSeconds: line,
  silenceSeconds: line,
  totalSeconds: line,
  allTools: z.boolean(),
  /** One a line. */
  tools: lines,
  trust: z.boolean(),
});

export type Draft = z.infer<typeof draftSchema>;

type Fields = Readonly<Record<string, unknown>>;

const LIMITS = ['startSeconds', 'silenceSeconds', 'totalSeconds'] as const;

/** The form of a server as it stands in the settings, however wrong that is. */
export function draftOf(id: string, value: unknown): Draft {
  const entry = fieldsOf(value);
  const type = entry['type'];
  const limits = fieldsOf(entry['timeLimits']);
  const enabled = entry['enabledTools'];
  return {
    id,
    kind: type === 'sse' || type === 'http' || type === 'stdio' ? type : entry['url'] === undefined ? 'stdio' : 'http',
    command: textOf(entry['command']),
    args: linesOf(entry['args']),
    cwd: textOf(entry['cwd']),
    env: pairsOf(entry['env']),
    url: textOf(entry['url']),
    headers: pairsOf(entry['headers']),
    startSeconds: textOf(limits['startSeconds']),
    silenceSeconds: textOf(limits['silenceSeconds']),
    totalSeconds: textOf(limits['totalSeconds']),
    allTools: enabled === undefined,
    tools: linesOf(enabled),
    trust: entry['trustRecoveryHints'] === true,
  };
}

/** The form of a server that is to be added. */
export function emptyDraft(): Draft {
  return draftOf('', {});
}

/** The usual limits, as the form shows them where nothing is typed. */
export const usualLimits = DEFAULT_LIMITS;

/**
 * The settings with what the form says.
 *
 * @param servers as they stand.
 * @param before the name that the server had; null: it is a new one. It keeps its place, and fields that the form does not know.
 */
export function withDraft(servers: unknown, before: string | null, draft: Draft): Record<string, unknown> {
  const standing = Object.entries(fieldsOf(servers));
  const id = draft.id.trim();
  const isThere = standing.some(([name]) => name === before);
  const changed = standing.map(([name, value]): [string, unknown] =>
    name === before ? [id, entryOf(draft, value)] : [name, value],
  );
  return Object.fromEntries(isThere ? changed : [...standing, [id, entryOf(draft, {})]]);
}

/** The settings without one server. */
export function withoutServer(servers: unknown, id: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fieldsOf(servers)).filter(([name]) => name !== id));
}

/** What is wrong with the form, field by field. */
export function draftProblems(servers: unknown, before: string | null, draft: Draft): readonly SettingProblem[] {
  const id = draft.id.trim();
  const others = Object.keys(fieldsOf(servers)).filter((name) => name !== before);
  const used = draft.kind === 'stdio' ? ('env' as const) : ('headers' as const);
  return [
    ...(others.includes(id) ? [problem('id', text('servers.problem.taken'))] : []),
    ...(hasTwice(draft[used]) ? [problem(used, text('servers.problem.twice'))] : []),
    ...readServer(id, entryOf(draft, {})).problems,
  ];
}

function problem(field: string, what: Text): SettingProblem {
  return { field, text: what };
}

/** Only what the chosen kind of server takes; what is empty is left out. */
function entryOf(draft: Draft, before: unknown): Record<string, unknown> {
  const known = ['type', 'command', 'args', 'cwd', 'env', 'url', 'headers', 'timeLimits', 'enabledTools'];
  const others = Object.entries(fieldsOf(before)).filter(
    ([name]) => !known.includes(name) && name !== 'trustRecoveryHints',
  );
  const { kind, trust, allTools } = draft;
  const namesType = fieldsOf(before)['type'] !== undefined || kind === 'sse';
  const args = linesIn(draft.args);
  const limits = limitsOf(draft, fieldsOf(fieldsOf(before)['timeLimits']));
  return {
    ...(namesType ? { type: kind } : {}),
    ...(kind === 'stdio'
      ? {
          command: draft.command.trim(),
          ...(args.length === 0 ? {} : { args }),
          ...given('cwd', draft.cwd.trim()),
          ...given('env', recordOf(draft.env)),
        }
      : { url: draft.url.trim(), ...given('headers', recordOf(draft.headers)) }),
    ...given('timeLimits', limits),
    ...(allTools ? {} : { enabledTools: linesIn(draft.tools).map((name) => name.trim()) }),
    ...(trust ? { trustRecoveryHints: true } : {}),
    ...Object.fromEntries(others),
  };
}

function limitsOf(draft: Draft, before: Fields): Fields {
  const others = Object.entries(before).filter(([name]) => !LIMITS.some((limit) => limit === name));
  const typed = LIMITS.flatMap((name) => (draft[name].trim() === '' ? [] : [[name, Number(draft[name])] as const]));
  return Object.fromEntries([...typed, ...others]);
}

function given(name: string, value: string | Fields): Fields {
  const isEmpty = typeof value === 'string' ? value === '' : Object.keys(value).length === 0;
  return isEmpty ? {} : { [name]: value };
}

function recordOf(rows: Draft['env']): Record<string, string> {
  return Object.fromEntries(rows.filter(isFilled).map(({ name, value }) => [name.trim(), value]));
}

function hasTwice(rows: Draft['env']): boolean {
  const names = rows.filter(isFilled).map(({ name }) => name.trim());
  return new Set(names).size < names.length;
}

function isFilled({ name, value }: Draft['env'][number]): boolean {
  return name.trim() !== '' || value !== '';
}

function linesIn(typed: string): readonly string[] {
  return typed.split('\n').filter((each) => each.trim() !== '');
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function linesOf(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join('\n') : '';
}

function pairsOf(value: unknown): Draft['env'] {
  return Object.entries(fieldsOf(value)).map(([name, each]) => ({ name, value: textOf(each) }));
}
