import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ExtensionContext } from 'vscode';
import { markerFileFor } from '../journal/sqlite/marker.ts';

/** Where this window keeps what outlives it. */
export interface StoragePaths {
  /** The journal's own folder: workspace storage, or global storage for an empty window. */
  readonly journalFolder: string;
  /** The marker that remembers the journal outside its folder (P15). */
  readonly markerFile: string;
  /** The key that arguments are hashed with; 0600. */
  readonly hashKeyFile: string;
}

export function storagePaths({ storageUri, globalStorageUri }: ExtensionContext): StoragePaths {
  const global = globalStorageUri.fsPath;
  const journalFolder = join(storageUri === undefined ? global : workspaceStorage(storageUri.fsPath), 'journal');
  return {
    journalFolder,
    markerFile: markerFileFor(global, journalFolder),
    hashKeyFile: join(global, 'arguments.key'),
  };
}

/**
 * While one window holds a workspace's storage `<id>`, VS Code gives the next window on the same workspace `<id>-1`, and so
 * on. The journal belongs to the workspace, not to the window: both look into the first, where one finds the other (P16).
 *
 * @param storage `<id>/<extension>`
 */
function workspaceStorage(storage: string): string {
  const [, first] = /^(.+)-[1-9]$/.exec(dirname(storage)) ?? [];
  return first !== undefined && existsSync(join(first, 'vscode.lock')) ? join(first, basename(storage)) : storage;
}
