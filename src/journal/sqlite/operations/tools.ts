import type { ToolIdentity } from '../../../core/tool.ts';
import { number } from '../rows.ts';
import type { OperationContext } from './context.ts';

const FIND_TOOL = 'SELECT tool_id FROM tools WHERE server = ? AND name = ? AND definition_hash = ?';

const DEFINITIONS = 'SELECT tool_id FROM tools WHERE server = ? AND name = ?';

/** The keys of all definitions that a tool has had. */
export function toolIdsOf(context: OperationContext, tool: ToolIdentity): number[] {
  return context.statements.all(DEFINITIONS, tool.server, tool.name).map((row) => number(row, 'tool_id'));
}

/** The key of a tool as it is defined now, made on first sight. */
export function toolIdFor(context: OperationContext, tool: ToolIdentity, definitionHash: string): number {
  const found = findToolId(context, tool, definitionHash);
  if (found !== undefined) {
    return found;
  }
  context.statements.insert('tools', { server: tool.server, name: tool.name, definition_hash: definitionHash });
  return toolIdFor(context, tool, definitionHash);
}

function findToolId(context: OperationContext, tool: ToolIdentity, definitionHash: string): number | undefined {
  const row = context.statements.first(FIND_TOOL, tool.server, tool.name, definitionHash);
  return row === undefined ? undefined : number(row, 'tool_id');
}
