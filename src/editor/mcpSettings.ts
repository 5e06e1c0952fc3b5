import { array, boolean, enum as oneOf, looseObject, number, optional, record, string, type output } from 'zod/v4';
import { text, type MessageKey, type Text } from '../core/messages.ts';
import type { ServerAddress, ServerLimits, ServerSettings } from '../tools/mcp/serverSettings.ts';

/** The server id under which Holdfast's own tools go. */
export const OWN_SERVER = 'holdfast';

/** In seconds, as the setting has them. */
export const DEFAULT_LIMITS = { startSeconds: 30, silenceSeconds: 120, totalSeconds: 600 } as const;
const MOST_SECONDS = 86_400;

/** Seen in the rules for permissions as `id.tool`, so that it holds no dot and no star. */
const ID = /^[\w-]{1,64}$/;
const SECRET = /\$\{secret:([^}]*)\}/g;
const SECRET_NAME = /^[\w.-]{1,64}$/;
const FOLDER = '${workspaceFolder}';

/** Says in place of a message which text of the catalogue it is. */
const says = (key: ProblemKey): { readonly error: ProblemKey } => ({ error: key });

const words = record(string(), string(says('servers.problem.words')), says('servers.problem.words'));
const seconds = optional(
  number(says('servers.problem.seconds'))
    .min(1, says('servers.problem.seconds'))
    .max(MOST_SECONDS, says('servers.problem.seconds')),
);

const entrySchema = looseObject(
  {
    type: optional(oneOf(['stdio', 'http', 'sse'], says('servers.problem.type'))),
    command: optional(string(says('servers.problem.command'))),
    args: optional(array(string(says('servers.problem.args')), says('servers.problem.args'))),
    env: optional(words),
    cwd: optional(string(says('servers.problem.cwd'))),
    url: optional(string(says('servers.problem.url'))),
    headers: optional(words),
    timeLimits: optional(
      looseObject(
        { startSeconds: seconds, silenceSeconds: seconds, totalSeconds: seconds },
        says('servers.problem.timeLimits'),
      ),
    ),
    enabledTools: optional(array(string(says('servers.problem.enabledTools')), says('servers.problem.enabledTools'))),
    trustRecoveryHints: optional(boolean(says('servers.problem.trust'))),
  },
  says('servers.problem.object'),
);

type Entry = output<typeof entrySchema>;

/** What is wrong with a server's settings, and in which field: `command`, `env`, `timeLimits.startSeconds`, …; `id` for its name. */
export interface SettingProblem {
  readonly field: string;
  readonly text: Text;
}

/** A server as it stands in the settings. */
export interface ConfiguredServer {
  readonly id: string;
  /** With `${secret:…}` and `${workspaceFolder}` as they were written; undefined where there is a problem. */
  readonly settings: ServerSettings | undefined;
  readonly problems: readonly SettingProblem[];
  /** Names of the secrets that it needs. */
  readonly secrets: readonly string[];
}

/** Reads `holdfast.mcp.servers`. What is wrong with one server says nothing about the others. */
export function readServers(value: unknown): readonly ConfiguredServer[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [];
  }
  return Object.entries(value).map(([id, entry]) => readServer(id, entry));
}

export function readServer(id: string, value: unknown): ConfiguredServer {
  const parsed = entrySchema.safeParse(value);
  const problems = [
    ...idProblems(id),
    ...(parsed.success
      ? entryProblems(parsed.data)
      : parsed.error.issues.map(({ path, message }) => ({ field: fieldOf(path), text: text(message as ProblemKey) }))),
  ];
  if (problems.length > 0 || !parsed.success) {
    return { id, settings: undefined, problems, secrets: [] };
  }
  const { env = {}, headers = {}, enabledTools, trustRecoveryHints } = parsed.data;
  const settings = {
    id,
    address: addressOf(parsed.data),
    limits: limitsOf(parsed.data),
    enabledTools: enabledTools ?? null,
    trustRecoveryHints: trustRecoveryHints ?? false,
  };
  const values = Object.values(settings.address.kind === 'stdio' ? env : headers);
  return { id, settings, problems: [], secrets: secretsIn(values) };
}

/** What stands for `${…}`. */
export interface Fillings {
  /** By name; all that the server needs. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Undefined in a window without a folder. */
  readonly workspaceFolder: string | undefined;
}

/** The settings with everything filled in; undefined where they need a folder and none is open. */
export function fillIn(settings: ServerSettings, { secrets, workspaceFolder }: Fillings): ServerSettings | undefined {
  const { address } = settings;
  const secret = (value: string): string => value.replace(SECRET, (whole, name: string) => secrets.get(name) ?? whole);
  if (address.kind !== 'stdio') {
    return { ...settings, address: { ...address, headers: mapped(address.headers, secret) } };
  }
  const { command, args, variables, cwd } = address;
  const withFolder = [command, ...args, ...Object.values(variables), cwd ?? ''];
  if (workspaceFolder === undefined && withFolder.some((value) => value.includes(FOLDER))) {
    return undefined;
  }
  const folder = (value: string): string => value.replaceAll(FOLDER, () => workspaceFolder ?? '');
  const filled = {
    ...address,
    command: folder(command),
    args: args.map(folder),
    variables: mapped(variables, (value) => secret(folder(value))),
    ...(cwd === undefined ? {} : { cwd: folder(cwd) }),
  };
  return { ...settings, address: filled };
}

/** Names of the secrets that stand in these values, each once. */
export function secretsIn(values: readonly string[]): readonly string[] {
  return [...new Set(values.flatMap((value) => Array.from(value.matchAll(SECRET), ([, name = '']) => name)))];
}

type ProblemKey = Extract<MessageKey, `servers.problem.${string}`>;

function idProblems(id: string): readonly SettingProblem[] {
  if (id === OWN_SERVER) {
    return [{ field: 'id', text: text('servers.problem.ownId') }];
  }
  return ID.test(id) ? [] : [{ field: 'id', text: text('servers.problem.id') }];
}

function entryProblems(entry: Entry): readonly SettingProblem[] {
  const { command, url, args = [], cwd = '', env = {}, headers = {} } = entry;
  const kind = kindOf(entry);
  const at = (field: string, found: boolean, key: ProblemKey): readonly SettingProblem[] =>
    found ? [{ field, text: text(key) }] : [];
  return [
    ...at('command', kind === 'stdio' && isBlank(command), 'servers.problem.command'),
    ...at('command', kind === 'stdio' && url !== undefined, 'servers.problem.both'),
    ...at('url', kind !== 'stdio' && !isAddress(url), 'servers.problem.url'),
    ...at('url', kind !== 'stdio' && command !== undefined, 'servers.problem.both'),
    // They could be seen there by every program on the machine, or in a log.
    ...at('command', hasSecret([command ?? '']), 'servers.problem.secretPlace'),
    ...at('args', hasSecret(args), 'servers.problem.secretPlace'),
    ...at('cwd', hasSecret([cwd]), 'servers.problem.secretPlace'),
    ...at('url', hasSecret([url ?? '']), 'servers.problem.secretPlace'),
    ...at('env', hasBadSecret(Object.values(env)), 'servers.problem.secretName'),
    ...at('headers', hasBadSecret(Object.values(headers)), 'servers.problem.secretName'),
    ...at(
      'env',
      Object.keys(env).some((name) => !/^[^=\0]+$/.test(name)),
      'servers.problem.variable',
    ),
    ...at(
      'headers',
      Object.entries(headers).some(([name, value]) => !isHeader(name, value)),
      'servers.problem.header',
    ),
  ];
}

function kindOf({ type, url }: Entry): 'stdio' | 'http' | 'sse' {
  return type ?? (url === undefined ? 'stdio' : 'http');
}

function addressOf(entry: Entry): ServerAddress {
  const { command = '', args = [], env = {}, cwd = '', url = '', headers = {} } = entry;
  const kind = kindOf(entry);
  return kind === 'stdio'
    ? { kind, command: command.trim(), args, variables: env, ...(isBlank(cwd) ? {} : { cwd: cwd.trim() }) }
    : { kind, url: url.trim(), headers };
}

function limitsOf({ timeLimits = {} }: Entry): ServerLimits {
  const { startSeconds, silenceSeconds, totalSeconds } = { ...DEFAULT_LIMITS, ...defined(timeLimits) };
  return { connectMs: startSeconds * 1000, silenceMs: silenceSeconds * 1000, totalMs: totalSeconds * 1000 };
}

function defined(limits: NonNullable<Entry['timeLimits']>): Partial<Record<keyof typeof DEFAULT_LIMITS, number>> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

function fieldOf([first, second]: readonly PropertyKey[]): string {
  if (first === undefined) {
    return 'id';
  }
  return first === 'timeLimits' && second !== undefined ? `timeLimits.${String(second)}` : String(first);
}

function isBlank(value: string | undefined): boolean {
  return value === undefined || value.trim() === '';
}

/** Credentials in an address would stand in the settings in clear. */
function isAddress(value: string | undefined): boolean {
  const address = value?.trim() ?? '';
  if (!URL.canParse(address)) {
    return false;
  }
  const { protocol, username, password } = new URL(address);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

function isHeader(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !/[\r\n\0]/.test(value);
}

function hasSecret(values: readonly string[]): boolean {
  return secretsIn(values).length > 0;
}

function hasBadSecret(values: readonly string[]): boolean {
  return secretsIn(values).some((name) => !SECRET_NAME.test(name));
}

function mapped(values: Readonly<Record<string, string>>, change: (value: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
