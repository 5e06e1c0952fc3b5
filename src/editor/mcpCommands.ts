import { commands, window } from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import { describe } from '../core/errors.ts';
import type { Say } from '../core/messages.ts';
import type { McpDesk } from './mcpDesk.ts';
import type { Runtime } from './runtime.ts';

/** Registers the commands about MCP servers, those of the palette and those of the view's rows. */
export function registerMcpCommands(runtime: () => Promise<Runtime>, say: Say): Disposable {
  const store = new DisposableStore();
  const command = (id: string, run: (desk: McpDesk, row: unknown) => Promise<void>): void => {
    store.add(
      commands.registerCommand(`holdfast.${id}`, async (row: unknown) => {
        try {
          await run((await runtime()).mcp, row);
        } catch (error) {
          void window.showErrorMessage(say('command.failed', { cause: describe(error, say) }));
        }
      }),
    );
  };
  command('addMcpServer', (desk) => desk.edit(undefined, true));
  command('editMcpServers', (desk, row) => desk.edit(row));
  command('setMcpSecret', (desk, row) => desk.setSecret(row));
  command('startMcpServer', (desk, row) => desk.start(row));
  command('restartMcpServer', (desk, row) => desk.start(row));
  command('stopMcpServer', (desk, row) => desk.end(row));
  command('trustMcpTools', (desk, row) => desk.trustTools(row));
  return store;
}
