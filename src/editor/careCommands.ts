import { commands, window } from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import { describe } from '../core/errors.ts';
import type { Say } from '../core/messages.ts';
import type { Care } from './care.ts';
import { DiagnosticsView } from './diagnosticsView.ts';
import type { Runtime } from './runtime.ts';

/** Registers the commands by which a person looks after Holdfast itself. They take no answer from whoever calls them (P6). */
export function registerCareCommands(runtime: () => Promise<Runtime>, say: Say): Disposable {
  const store = new DisposableStore();
  const command = (id: string, run: (care: Care) => Promise<void>): void => {
    store.add(
      commands.registerCommand(`holdfast.${id}`, async () => {
        try {
          await run((await runtime()).care);
        } catch (error) {
          void window.showErrorMessage(say('command.failed', { cause: describe(error, say) }));
        }
      }),
    );
  };
  command('pause', (care) => care.pause());
  command('resume', (care) => care.resume());
  command('verifyJournal', (care) => care.verifyJournal());
  command('resetJournal', (care) => care.resetJournal());
  const view = store.add(new DiagnosticsView(async () => (await runtime()).care.diagnostics()));
  command('showDiagnostics', () => view.show());
  command('reportIssue', (care) => care.reportIssue());
  return store;
}
