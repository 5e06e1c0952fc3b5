/** What a person and an agent read about MCP servers in the editor: settings, the view, the form, and the two tools that lead to them. */
export const servers = {
  // What is wrong with a server's settings.
  'servers.problem.object': 'This must be an object with the settings of one server.',
  'servers.problem.ownId': 'This name is that of Holdfast’s own tools. Choose another one.',
  'servers.problem.id':
    'A name has 1 to 64 letters, digits, hyphens and underscores: it stands before the dot in server.tool.',
  'servers.problem.taken': 'Another server has this name.',
  'servers.problem.twice': 'Two lines have the same name.',
  'servers.problem.type': 'Choose stdio, http or sse.',
  'servers.problem.command': 'Say which program is the server, for example npx.',
  'servers.problem.both': 'A server has a command or an address, not both.',
  'servers.problem.args': 'Arguments are a list of texts.',
  'servers.problem.words': 'Each name must have a text as its value.',
  'servers.problem.variable': 'A variable needs a name, without an equals sign.',
  'servers.problem.header': 'A header needs a name without blanks, and a value on one line.',
  'servers.problem.cwd': 'The folder must be a text.',
  'servers.problem.url':
    'Give an address that begins with http:// or https:// and holds no password. Secrets belong into headers.',
  'servers.problem.secretPlace': 'A secret could be seen by others here. It may stand in variables and headers only.',
  'servers.problem.secretName':
    'The name of a secret has 1 to 64 letters, digits, dots, hyphens and underscores, after secret and a colon.',
  'servers.problem.timeLimits': 'Time limits are an object with startSeconds, silenceSeconds and totalSeconds.',
  'servers.problem.seconds': 'Give a number of seconds from 1 to 86,400.',
  'servers.problem.enabledTools': 'Enabled tools are a list of their names.',
  'servers.problem.trust': 'This must be true or false.',

  // Why a server cannot be used.
  'servers.none': 'No MCP server is set up in Holdfast.',
  'servers.unknown': 'there is no MCP server {server}. The servers are: {servers}.',
  'servers.unknownTool':
    '{server} has no tool {tool}, or the user has not enabled it. holdfast_listMcpTools names the tools that there are.',
  'servers.wrong':
    'the settings of the MCP server {server} cannot be used: {problem} The user can put that right in Holdfast: Edit MCP Servers.',
  'servers.needsSecret':
    'the MCP server {server} needs the secret {secret}, and nothing was sent to it. The user can enter it with Holdfast: Set MCP Secret….',
  'servers.needsFolder':
    'the settings of the MCP server {server} name the workspace folder, and no folder is open in this window.',

  // The answer to a listing.
  'servers.list.intro':
    'Call a tool with holdfast_callMcpTool: its server, its name as `tool`, and its `arguments`. A change is recorded before it is sent; when its outcome is unknown, do not repeat it.',
  'servers.list.server': '# {server}',
  'servers.list.unusable': 'Not available: {problem}',
  'servers.list.noTools': 'It has no tools.',
  'servers.list.untrusted':
    'Each of its tools counts as a change, because the user does not trust what this server declares about them.',
  'servers.list.noHints': 'Each of its tools counts as a change, because this server gives no hints about them.',
  'servers.list.trusted':
    'The user trusts what this server declares: tools that it declares to be read-only count as reads.',
  'servers.list.read': '- {tool} (read-only: declared by the server, which the user trusts)',
  'servers.list.change': '- {tool} (counts as a change)',
  'servers.list.changedTool': '- {tool} (counts as a change: it is not what it was when the user trusted the server)',
  'servers.list.schema': '  arguments: {schema}',
  'servers.list.schemaLeftOut': '  arguments: left out, too long. Ask for this server alone.',
  'servers.list.input': 'Send an empty object, or one with the name of one server as `server`.',
  'servers.list.invocation': 'Listing tools of MCP servers',

  // A call.
  'servers.call.input': 'send an object with `server` and `tool` as texts and `arguments` as an object.',
  'servers.call.own': 'holdfast is no MCP server: call its tools by their own names.',
  'servers.call.nowChange':
    '{tool} counted as a read when this call was prepared, so nobody was asked; it counts as a change now. Send the call again.',
  'servers.call.invocation': 'Calling {tool}',
  'servers.call.title': 'Call {tool}?',
  'servers.call.why.notStarted':
    'The server was not started yet, so nobody knows what this tool does. It counts as a change.',
  'servers.call.why.untrusted': 'It counts as a change: you do not trust what this server declares about its tools.',
  'servers.call.why.noHints': 'It counts as a change: this server gives no hints about its tools.',
  'servers.call.why.declared': 'It counts as a change: the server does not declare it to be read-only.',

  // The view.
  'servers.row.state.not_started': 'not started',
  'servers.row.state.starting': 'starting…',
  'servers.row.state.connected': 'connected',
  'servers.row.state.backing_off': 'failed; a call waits until {time}',
  'servers.row.state.circuit_open': 'keeps failing; calls are refused until {time}',
  'servers.row.state.disconnected': 'failed; the next call starts it again',
  'servers.row.state.stopped': 'stopped',
  'servers.row.state.wrong': 'cannot be used',
  'servers.row.state.secret': 'needs a secret',
  'servers.row.tools.one': '1 tool',
  'servers.row.tools': '{count} tools',
  'servers.row.pending': 'changed settings wait; open calls: {count}',
  'servers.row.open.one': '1 call runs',
  'servers.row.open': '{count} calls run',
  'servers.row.noHints': 'This server gives no hints, so each of its tools counts as a change',
  'servers.row.noHints.detail':
    'A change is recorded before it is sent, and waits while an earlier outcome is unknown. That is the safe side.',
  'servers.row.untrusted': 'You do not trust its declarations, so each of its tools counts as a change',
  'servers.row.untrusted.detail':
    'It does declare which of its tools only read. Whether you believe that is the switch “Trust server recovery declarations” in Edit MCP Servers.',
  'servers.row.changed.one': '1 tool changed since you trusted it',
  'servers.row.changed': '{count} tools changed since you trusted them',
  'servers.row.changed.detail':
    'They count as untrusted until you say otherwise: {tools}. To trust them as they are now, choose Trust Tools as They Are Now.',
  'servers.row.lastError': 'Last error: {error}, {time}',
  'servers.row.stderr': 'It wrote to its error output:',
  'servers.row.problem': '{field}: {problem}',
  'servers.row.needsSecret': 'The secret {secret} is not set',
  'servers.row.needsSecret.detail':
    'Choose this to enter it. It is kept in the secret storage of VS Code, and nowhere else.',
  'servers.row.needsFolder': 'It needs a workspace folder, and none is open',
  'servers.row.tool.read': 'read-only',
  'servers.row.tool.change': 'counts as a change',
  'servers.row.tool.changed': 'changed since you trusted it',
  'servers.error.connection_lost': 'the connection was lost',
  'servers.error.slow_start': 'it was not ready in time',
  'servers.error.ENOENT': 'its command was not found',
  'servers.error.EACCES': 'its command may not be run',
  'servers.error.ECONNREFUSED': 'nothing listens at its address',
  'servers.looking': 'Looking at your MCP servers…',

  // What is done there.
  'servers.confirm.restart': 'Restart {server}? Calls that run on it: {count}.',
  'servers.confirm.stop': 'Stop {server}? Calls that run on it: {count}.',
  'servers.end.detail':
    'What became of them will not be known, and the next change in their session waits until you have checked.',
  'servers.do.restart': 'Restart',
  'servers.do.stop': 'Stop',
  'servers.startFailed': 'Holdfast: {problem}',
  'servers.trustNow.confirm': 'Trust the tools of {server} as they are now?',
  'servers.trustNow.detail': 'These changed since you trusted them: {tools}. Look at what they say they do first.',
  'servers.trustNow.do': 'Trust',
  'servers.secret.pick': 'Which secret of your MCP servers?',
  'servers.secret.none':
    'No MCP server names a secret. Write {example} into a variable or a header in Edit MCP Servers.',
  'servers.secret.isSet': 'set',
  'servers.secret.isMissing': 'not set',
  'servers.secret.prompt': 'The secret {secret}. Leave it empty to forget what is kept.',
  'servers.secret.notKept':
    'The secret storage of this VS Code keeps nothing, so {secret} is known until this window is closed.',
  'servers.secret.needed': 'The MCP server {server} needs the secret {secret}.',
  'servers.secret.enter': 'Enter Secret…',

  // The form.
  'form.title': 'Edit MCP Servers',
  'form.intro':
    'Holdfast starts a server when it is first needed. What you set here goes to your user settings, for all workspaces.',
  'form.list': 'Servers',
  'form.add': 'Add Server',
  'form.none': 'No server yet.',
  'form.unsaved': 'not saved',
  'form.new': 'New server',
  'form.hasProblem': 'cannot be used',
  'form.heading': 'Server {server}',
  'form.id': 'Name',
  'form.id.hint': 'Stands before the dot in server.tool, in permissions and records.',
  'form.kind': 'How it is reached',
  'form.kind.stdio': 'A program on this machine',
  'form.kind.http': 'An address (streamable HTTP)',
  'form.kind.sse': 'An address (older: server-sent events)',
  'form.command': 'Command',
  'form.args': 'Arguments',
  'form.args.hint': 'One a line. {example} stands for the first folder that is open.',
  'form.cwd': 'Folder to run in',
  'form.cwd.hint': 'Empty: that of VS Code’s extension host.',
  'form.env': 'Environment variables',
  'form.url': 'Address',
  'form.headers': 'Headers',
  'form.pair.name': 'Name',
  'form.pair.value': 'Value',
  'form.pair.add': 'Add',
  'form.pair.remove': 'Remove {name}',
  'form.pair.hint':
    '{example} stands for a secret, which is kept in the secret storage of VS Code and never in the settings.',
  'form.secrets': 'Secrets',
  'form.secret.set': 'set',
  'form.secret.missing': 'not set',
  'form.secret.enter': 'Set {secret}…',
  'form.limits': 'Time limits, in seconds',
  'form.limit.start': 'To start',
  'form.limit.silence': 'Without an answer',
  'form.limit.total': 'A call in all',
  'form.limit.hint':
    'Progress begins the second one anew. A call that reaches a limit has been sent, so its outcome is unknown.',
  'form.tools': 'Tools that agents may see',
  'form.tools.all': 'All',
  'form.tools.some': 'Only these, one a line:',
  'form.tools.fill': 'Fill In the Tools That It Has',
  'form.trust': 'Trust server recovery declarations',
  'form.trust.off': 'Off: each of its tools counts as a change. That is the safe side.',
  'form.trust.hint':
    'On, Holdfast believes two things that this server says. A tool that it declares to be read-only runs without a record and without waiting for a review. And a call of which it attests “not executed” is recorded so, and holds nothing back.',
  'form.trust.never':
    'Trust only a server that never attests this after an external write was dispatched. If it is wrong, a change may happen twice or unseen.',
  'form.trust.bound':
    'Trust holds for the tools as they are when they are next listed. A tool that changes later is untrusted again until you say otherwise.',
  'form.save': 'Save',
  'form.discard': 'Discard Changes',
  'form.remove': 'Remove…',
  'form.remove.confirm': 'Remove the MCP server {server}?',
  'form.remove.detail': 'It is stopped at once. Calls that run on it end with an unknown outcome.',
  'form.remove.do': 'Remove',
  'form.saved': 'Saved.',
  'form.savedWaiting': 'Saved. It takes effect when the open calls have ended: {count}.',
  'form.notSaved': 'Not saved: {cause}',
  'form.fix': 'Not saved. Put right what is marked below.',
} as const;
