import { commands, window } from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import { describe } from '../core/errors.ts';
import type { Say } from '../core/messages.ts';
import type { Runtime } from './runtime.ts';

/** Registers the palette's commands. None of them decides for a person (P6). */
export function registerCommands(runtime: () => Promise<Runtime>, say: Say): Disposable {
  const store = new DisposableStore();
  const command = (id: string, run: (runtime: Runtime) => Promise<void>): void => {
    store.add(
      commands.registerCommand(`holdfast.${id}`, async () => {
        try {
          await run(await runtime());
        } catch (error) {
          void window.showErrorMessage(say('command.failed', { cause: describe(error, say) }));
        }
      }),
    );
  };
  command('reviewUnresolved', (holdfast) => holdfast.reviewUnresolved());
  command('inspectJournal', (holdfast) => holdfast.inspectJournal());
  command('managePermissions', (holdfast) => holdfast.managePermissions());
  command('showCommandOutput', (holdfast) => holdfast.showCommandOutput());
  command('settleNow', (holdfast) => holdfast.settleNow());
  command('startNewSession', (holdfast) => holdfast.startNewSession());
  command('usePostgresJournal', (holdfast) => holdfast.usePostgresJournal());
  command('useEmbeddedJournal', (holdfast) => holdfast.useEmbeddedJournal());
  command('copyPostgresInvite', (holdfast) => holdfast.copyPostgresInvite());
  store.add(
    commands.registerCommand('holdfast.tryIt', async () => {
      const { playTryIt } = await import('./tryIt.ts');
      playTryIt(say);
    }),
  );
  return store;
}
