import * as vscode from 'vscode';

/** One of each thing that the harness drives; every answer goes to the trace log. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Probe', { log: true });
  const say = (event: string, data: object): void => {
    log.trace(`${event} ${JSON.stringify(data)}`);
  };
  const status = vscode.window.createStatusBarItem('probe.status');
  status.text = '$(check) Probe is up';
  status.show();
  const command = (id: string, run: () => Promise<void> | void): vscode.Disposable =>
    vscode.commands.registerCommand(id, run);

  context.subscriptions.push(
    log,
    status,
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration('probe')) return;
      say('setting changed', { level: vscode.workspace.getConfiguration('probe').get('level') });
    }),
    command('probe.warn', async () => {
      say('warn shown', {});
      say('warn answered', {
        answer: await vscode.window.showWarningMessage('Probe warning: allow?', 'Allow', 'Deny'),
      });
    }),
    command('probe.modal', async () => {
      const answer = await vscode.window.showWarningMessage('Probe modal?', { modal: true, detail: 'More' }, 'Go on');
      say('modal answered', { answer });
    }),
    command('probe.pick', async () => {
      say('picked', { answer: await vscode.window.showQuickPick(['first', 'second'], { title: 'Probe pick' }) });
    }),
    command('probe.panel', () => {
      const panel = vscode.window.createWebviewPanel('probe', 'Probe Panel', vscode.ViewColumn.One, {
        enableScripts: true,
      });
      panel.webview.onDidReceiveMessage((message: object) => {
        say('panel pressed', message);
      });
      panel.webview.html = `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-probe'">
        <button id="press">Press me</button>
        <script nonce="probe">
          const api = acquireVsCodeApi();
          document.getElementById('press').onclick = () => api.postMessage({ pressed: true });
        </script>`;
    }),
    vscode.lm.registerTool<{ text: string }>('probe_echo', {
      prepareInvocation: () => ({
        invocationMessage: 'Echoing',
        confirmationMessages: { title: 'Echo?', message: 'The text goes back.' },
      }),
      invoke: ({ input }) => {
        say('echoed', { length: input.text.length });
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(`echo: ${input.text}`)]);
      },
    }),
  );
  const storage = context.storageUri?.fsPath;
  say('host ready', { pid: process.pid, storage, variable: process.env['PROBE_VARIABLE'] });
}
