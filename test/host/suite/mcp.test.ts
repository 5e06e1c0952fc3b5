import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';

const token = new vscode.CancellationTokenSource().token;
const SERVER = join(__dirname, '../../test/fixtures/mcp/badServer.mjs');
const SETTING = 'mcp.servers';

async function invoke(tool: string, input: object): Promise<string> {
  const result = await vscode.lm.invokeTool(tool, { input, toolInvocationToken: undefined }, token);
  return (result.content as vscode.LanguageModelTextPart[]).map(({ value }) => value).join('');
}

async function configure(servers: object | undefined): Promise<void> {
  await vscode.workspace.getConfiguration('holdfast').update(SETTING, servers, vscode.ConfigurationTarget.Global);
}

describe('MCP servers in the window', () => {
  let keeper: Server;

  before(async () => {
    await vscode.extensions.getExtension('holdfast.holdfast')?.activate();
    // Hears what the server tells, and keeps nothing of it.
    keeper = createServer((socket) => {
      createInterface({ input: socket }).on('line', (line) => {
        if (line.includes('"confirm":true')) {
          socket.write('{"done":true}\n');
        }
      });
    });
    await new Promise<void>((resolve) => keeper.listen(0, '127.0.0.1', resolve));
  });

  after(async () => {
    await configure(undefined);
    keeper.close();
  });

  it('are a view of their own, which says how to add one', async () => {
    assert.ok((await vscode.commands.getCommands(true)).includes('holdfast.mcpServers.focus'));
    await vscode.commands.executeCommand('holdfast.mcpServers.focus');
    assert.equal(await invoke('holdfast_listMcpTools', {}), 'No MCP server is set up in Holdfast.');
  });

  it('answer bad input with what to send instead, and never throw', async () => {
    assert.match(await invoke('holdfast_listMcpTools', { server: 7 }), /^Not executed: Send an empty object/);
  });

  it('[P7] come from the user’s settings alone: a file of the workspace sets up none', async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const changed = new Promise<void>((resolve) => {
      const subscription = vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('editor.tabSize')) {
          subscription.dispose();
          resolve();
        }
      });
    });
    mkdirSync(join(folder, '.vscode'), { recursive: true });
    const file = { 'holdfast.mcp.servers': { evil: { command: 'evil' } }, 'editor.tabSize': 7 };
    writeFileSync(join(folder, '.vscode', 'settings.json'), JSON.stringify(file));
    await changed;
    assert.equal(await invoke('holdfast_listMcpTools', {}), 'No MCP server is set up in Holdfast.');
    writeFileSync(join(folder, '.vscode', 'settings.json'), '{}');
  });

  it('[M2] list their tools, and a trusted read is called without a question', async () => {
    const { port } = keeper.address() as { port: number };
    const tools = [{ name: 'peek', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
    const server = {
      command: process.execPath,
      args: [SERVER, 'stdio'],
      env: { KEEPER: String(port), TOOLS: JSON.stringify(tools) },
      enabledTools: ['peek', 'ok'],
      trustRecoveryHints: true,
    };
    await configure({ keeper: server, wrong: {} });
    const listed = await invoke('holdfast_listMcpTools', {});
    assert.match(listed, /# keeper\n.*- peek \(read-only/s);
    assert.match(listed, /- ok \(counts as a change\)/);
    assert.match(listed, /# wrong\nNot available: .*Say which program is the server/);
    const result = { content: [{ type: 'text', text: 'seen' }] };
    const call = { server: 'keeper', tool: 'peek', arguments: { result } };
    assert.equal(await invoke('holdfast_callMcpTool', call), 'seen');
  });

  it('[P6] have commands that do nothing for whoever is not a row of their view', async () => {
    for (const command of ['startMcpServer', 'restartMcpServer', 'stopMcpServer', 'trustMcpTools']) {
      await vscode.commands.executeCommand(`holdfast.${command}`);
      await vscode.commands.executeCommand(`holdfast.${command}`, { key: 'x', server: 'keeper', children: [] });
    }
    assert.match(await invoke('holdfast_listMcpTools', { server: 'keeper' }), /- peek \(read-only/);
  });
});
