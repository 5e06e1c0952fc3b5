import { pointInTime, sayText, type MessageKey, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import type { McpTool } from '../tools/mcp/mcpTool.ts';
import type { ServerState, ServerStatus } from '../tools/mcp/serverStatus.ts';
import type { KnownServer } from './mcpHub.ts';
import type { McpRow } from './mcpView.ts';

/** Characters of a server's error output, and of a tool's description, that fit where a mouse points. */
const MOST_STDERR = 600;
const MOST_DESCRIPTION = 600;

/** A line of *MCP Servers* that belongs to a server. */
export interface ServerRow extends McpRow {
  readonly server: string;
  /** Of a line about a secret. */
  readonly secret?: string;
}

interface Words {
  readonly say: Say;
  /** For times: milliseconds since the epoch. */
  readonly now: number;
}

const LOOKS: Readonly<Record<ServerState, { readonly icon: string; readonly color?: string }>> = {
  not_started: { icon: 'circle-outline' },
  starting: { icon: 'loading~spin' },
  connected: { icon: 'pass', color: 'testing.iconPassed' },
  backing_off: { icon: 'warning', color: 'list.warningForeground' },
  circuit_open: { icon: 'error', color: 'list.errorForeground' },
  disconnected: { icon: 'warning', color: 'list.warningForeground' },
  stopped: { icon: 'circle-slash' },
};

const KNOWN_ERRORS = ['connection_lost', 'slow_start', 'ENOENT', 'EACCES', 'ECONNREFUSED'] as const;

/** The servers and their tools, line by line. */
export function mcpRows(servers: readonly KnownServer[], words: Words): readonly ServerRow[] {
  return servers.map((server) => serverRow(server, words));
}

function serverRow(server: KnownServer, words: Words): ServerRow {
  const { id, configured, missingSecret, status, tools } = server;
  const { say } = words;
  const base = { key: JSON.stringify(['server', id]), server: id, label: plainText(id) };
  if (status === undefined) {
    const needsSecret = missingSecret !== undefined;
    const state = say(needsSecret ? 'servers.row.state.secret' : 'servers.row.state.wrong');
    const children = problemRows(server, words);
    return {
      ...base,
      kind: needsSecret ? 'secret' : 'wrong',
      description: state,
      detail: children.map(({ label }) => label).join('\n'),
      icon: needsSecret ? 'key' : 'error',
      color: needsSecret ? 'list.warningForeground' : 'list.errorForeground',
      children,
    };
  }
  const { state, openCalls, changePending } = status;
  const parts = [
    stateText(status, words),
    ...(tools.length === 0
      ? []
      : [tools.length === 1 ? say('servers.row.tools.one') : say('servers.row.tools', { count: tools.length })]),
    ...(openCalls > 0 && !changePending
      ? [openCalls === 1 ? say('servers.row.open.one') : say('servers.row.open', { count: openCalls })]
      : []),
    ...(changePending ? [say('servers.row.pending', { count: openCalls })] : []),
  ];
  return {
    ...base,
    kind: state === 'connected' || state === 'starting' ? 'running' : 'idle',
    description: parts.join(' · '),
    detail: [parts.join(' · '), ...errorTexts(status, words), addressText(configured)].join('\n'),
    ...LOOKS[state],
    children: [...noteRows(server, status, words), ...tools.map((tool) => toolRow(id, tool, status, say))],
  };
}

function problemRows({ id, configured, missingSecret }: KnownServer, { say }: Words): readonly ServerRow[] {
  if (missingSecret !== undefined) {
    return [
      {
        ...note(id, 'secret', say('servers.row.needsSecret', { secret: missingSecret })),
        detail: say('servers.row.needsSecret.detail'),
        icon: 'key',
        secret: missingSecret,
        command: { id: 'holdfast.setMcpSecret', title: say('servers.secret.enter') },
      },
    ];
  }
  const edit = { id: 'holdfast.editMcpServers', title: say('form.title') };
  if (configured.problems.length === 0) {
    return [{ ...note(id, 'folder', say('servers.row.needsFolder')), icon: 'folder' }];
  }
  return configured.problems.map(({ field, text }) => {
    const label = say('servers.row.problem', { field: plainText(field), problem: sayText(text, say) });
    return { ...note(id, `problem ${field} ${label}`, label), icon: 'error', command: edit };
  });
}

function noteRows({ id }: KnownServer, status: ServerStatus, words: Words): readonly ServerRow[] {
  const { say } = words;
  const { toolCount, givesNoHints, trustsHints, changedTools, lastError } = status;
  const rows: ServerRow[] = [];
  if (lastError !== null) {
    const [label = '', ...rest] = errorTexts(status, words);
    rows.push({ ...note(id, 'error', label), detail: [label, ...rest].join('\n'), icon: 'warning' });
  }
  if (toolCount > 0 && givesNoHints) {
    rows.push({ ...note(id, 'hints', say('servers.row.noHints')), detail: say('servers.row.noHints.detail') });
  } else if (toolCount > 0 && !trustsHints) {
    rows.push({ ...note(id, 'trust', say('servers.row.untrusted')), detail: say('servers.row.untrusted.detail') });
  }
  if (changedTools.length > 0) {
    const tools = changedTools.map((name) => plainText(name)).join(', ');
    const count = changedTools.length;
    rows.push({
      ...note(id, 'changed', count === 1 ? say('servers.row.changed.one') : say('servers.row.changed', { count })),
      kind: 'changed',
      detail: say('servers.row.changed.detail', { tools }),
      icon: 'warning',
      color: 'list.warningForeground',
    });
  }
  return rows;
}

function note(server: string, what: string, label: string): ServerRow {
  return {
    key: JSON.stringify([what, server]),
    server,
    kind: 'note',
    label,
    description: '',
    detail: '',
    icon: 'info',
    children: [],
  };
}

function toolRow(server: string, tool: McpTool, status: ServerStatus, say: Say): ServerRow {
  const { definition, readOnly, trust, identity } = tool;
  const changed = trust === 'changed';
  const standing = readOnly ? 'servers.row.tool.read' : 'servers.row.tool.change';
  const why = say(readOnly ? 'servers.row.tool.read' : changed ? 'servers.row.tool.changed' : reasonOf(status));
  const about = definition.description === undefined ? [] : [plainText(definition.description, MOST_DESCRIPTION)];
  return {
    key: JSON.stringify(['tool', server, identity.name]),
    server,
    kind: 'tool',
    label: plainText(identity.name),
    description: say(changed ? 'servers.row.tool.changed' : standing),
    detail: [why, ...about].join('\n'),
    icon: readOnly ? 'eye' : 'edit',
    ...(changed ? { color: 'list.warningForeground' } : {}),
    children: [],
  };
}

/** Why a tool counts as a change that is as it was. */
export function reasonOf({
  trustsHints,
  givesNoHints,
}: ServerStatus): Extract<MessageKey, `servers.call.why.${string}`> {
  if (givesNoHints) {
    return 'servers.call.why.noHints';
  }
  return trustsHints ? 'servers.call.why.declared' : 'servers.call.why.untrusted';
}

function stateText({ state, retryAt }: ServerStatus, { say, now }: Words): string {
  return state === 'backing_off' || state === 'circuit_open'
    ? say(`servers.row.state.${state}`, { time: new Date(retryAt ?? now).toLocaleTimeString() })
    : say(`servers.row.state.${state}`);
}

function errorTexts({ lastError, lastErrorAt, stderr }: ServerStatus, { say, now }: Words): readonly string[] {
  const known = KNOWN_ERRORS.find((name) => name === lastError);
  const error = known === undefined ? plainText(lastError ?? '') : say(`servers.error.${known}`);
  const output = stderr
    .slice(-MOST_STDERR)
    .split('\n')
    .map((line) => plainText(line, 200))
    .filter((line) => line !== '');
  return [
    ...(lastError === null
      ? []
      : [say('servers.row.lastError', { error, time: pointInTime(lastErrorAt ?? now, now) })]),
    ...(output.length === 0 ? [] : [say('servers.row.stderr'), ...output]),
  ];
}

/** Without what may hold secrets. */
function addressText({ settings }: KnownServer['configured']): string {
  const address = settings?.address;
  if (address === undefined) {
    return '';
  }
  return plainText(address.kind === 'stdio' ? [address.command, ...address.args].join(' ') : address.url, 200);
}
