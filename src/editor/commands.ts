import { commands, window } from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import { describe } from '../core/errors.ts';
import type { Say } from '../core/messages.ts';
import type { Runtime } from './runtime.ts';

/** Registers the palette's commands and those of the rows in *Needs Review*. None of them decides for a person (P6). */
export function registerCommands(runtime: () => Promise<Runtime>, say: Say): Disposable {
  const store = new DisposableStore();
  const command = (id: string, run: (runtime: Runtime, row: unknown) => Promise<void>): void => {
    store.add(
      commands.registerCommand(`holdfast.${id}`, async (row: unknown) => {
        try {
          await run(await runtime(), row);
        } catch (error) {
          void window.showErrorMessage(say('command.failed', { cause: describe(error, say) }));
        }
      }),
    );
  };
  command('reviewUnresolved', (holdfast) => holdfast.desk.showList());
  command('inspectJournal', (holdfast) => holdfast.inspectJournal());
  command('managePermissions', (holdfast) => holdfast.permissionList.show());
  command('showCommandOutput', (holdfast) => holdfast.tools.terminals.show());
  command('stopCommand', (holdfast) => holdfast.tools.terminals.stop());
  command('settleNow', (holdfast) => holdfast.settleNow());
  command('startNewSession', (holdfast) => holdfast.startNewSession());
  command('deleteSession', (holdfast) => holdfast.removal.removeSession());
  command('deleteAllRecords', (holdfast) => holdfast.removal.removeAll());
  command('usePostgresJournal', (holdfast) => holdfast.access.commands.usePostgres());
  command('useEmbeddedJournal', (holdfast) => holdfast.access.commands.useEmbedded());
  command('copyPostgresInvite', (holdfast) => holdfast.access.commands.copyInvite());
  command('openReview', (holdfast, row) => holdfast.desk.open(row));
  command('approveReview', (holdfast, row) => holdfast.desk.answer(row, 'approved'));
  command('denyReview', (holdfast, row) => holdfast.desk.answer(row, 'denied'));
  command('allowRequest', (holdfast, row) => holdfast.desk.answer(row, 'approved'));
  command('declineRequest', (holdfast, row) => holdfast.desk.answer(row, 'denied'));
  store.add(
    commands.registerCommand('holdfast.tryIt', async () => {
      const { playTryIt } = await import('./tryIt.ts');
      playTryIt(say);
    }),
  );
  return store;
}
