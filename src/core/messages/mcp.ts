/** What Holdfast says of MCP servers and their tools. */
export const mcp = {
  // Why a call was not sent.
  'mcp.input.object': 'Send an object with the arguments of {tool}.',
  'mcp.input.schema': 'The arguments do not fit what {tool} takes: {problem}.',
  'mcp.notSent.changed':
    '{tool} is not what it was when this call was made: the server has changed or removed it. List the tools and send the call again.',
  'mcp.notSent.notConnected': 'The MCP server {server} is not connected ({cause}), and nothing was sent to it.',
  'mcp.notSent.slowStart':
    'The MCP server {server} was not ready within {seconds} s, and nothing was sent to it. Ask the user to look at it.',
  'mcp.notSent.circuitOpen':
    'The MCP server {server} has failed {count} times in a row. It is tried again in {seconds} s at the earliest, or when the user restarts it.',
  'mcp.notSent.restarted': 'The MCP server {server} was restarted before this call was sent. Send it again.',
  'mcp.notSent.removed': 'The MCP server {server} was removed or is being stopped, and nothing was sent to it.',

  // How a call ended.
  'mcp.end.attested': '{server}, whose declarations the user trusts, attests that this call did nothing. {text}',
  'mcp.end.errorFrame': 'The server answered with an error: {message}',
  'mcp.end.lost': 'The connection to the MCP server {server} was lost before an answer came.',
  'mcp.end.taskCancelled':
    'The MCP server {server} ran the call as a task and says that this was cancelled; how far it came, it does not say.',
  'mcp.end.taskUnclear':
    'The MCP server {server} ran the call as a task and answered with something that says nothing about it.',
  'mcp.end.malformed': 'The server answered with something that is no result of a tool.',
  'mcp.end.noStructured': 'The server left out the structured content that this tool promises.',
  'mcp.end.wrongStructured': 'The structured content of the answer is not what this tool promises: {problem}.',
  'mcp.end.timed_out': 'No answer came within the time limit; the server was told that nobody waits any more.',
  'mcp.end.cancelled': 'The call was cancelled; the server was told.',
  'mcp.end.stopped_by_host': 'The server was stopped or restarted before an answer came.',
  'mcp.result.binary': '({kind} of type {type}, not shown)',
  'mcp.result.link': '(resource {uri})',

  // What a person is shown.
  'evidence.task': 'the server ran it as task {task}',
  'review.oneLoss': '{count} of these actions were lost at once, with one connection to {server}.',
  'review.oneLoss.all': 'All {count} actions were lost at once, with one connection to {server}.',
  'review.andMore.oneLoss': '{first} and {count} more, lost with one connection',
  'mcp.describe.changed':
    'This tool has changed since you trusted the declarations of {server}: it counts as untrusted, and each call as a change.',

  'mcp.task.noServer':
    'There is no MCP server {server} in the settings any more, so nobody can be asked about this task.',
  'mcp.task.noAnswer': 'The MCP server {server} did not answer. What became of the task is not known.',
  'mcp.task.refused': 'The MCP server {server} says nothing about this task: {message}',
  'mcp.task.unclear': 'The MCP server {server} answered with something that says nothing about this task.',

  // What a server is told.
  'mcp.refuse.sampling': 'Holdfast does not let servers use a language model.',
  'mcp.refuse.elicitation': 'Holdfast does not let servers ask the user questions.',
  'mcp.refuse.other': 'Holdfast does not answer this request.',
} as const;
