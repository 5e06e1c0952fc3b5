import type { QuickPick, QuickPickItem } from 'vscode';
import { DisposableStore } from '../core/disposable.ts';

/** Shows a list until something is picked or *Back* is pressed; undefined once it is closed. */
export async function choose<Item extends QuickPickItem>(list: QuickPick<Item>): Promise<Item | 'back' | undefined> {
  const listeners = new DisposableStore();
  try {
    return await new Promise((resolve) => {
      listeners.add(
        list.onDidAccept(() => {
          const [picked] = list.selectedItems;
          if (picked !== undefined) {
            resolve(picked);
          }
        }),
      );
      listeners.add(
        list.onDidTriggerButton(() => {
          resolve('back');
        }),
      );
      listeners.add(
        list.onDidHide(() => {
          resolve(undefined);
        }),
      );
      list.show();
    });
  } finally {
    listeners.dispose();
  }
}
