import { join } from 'node:path';
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
  const journalFolder = join((storageUri ?? globalStorageUri).fsPath, 'journal');
  return {
    journalFolder,
    markerFile: markerFileFor(global, journalFolder),
    hashKeyFile: join(global, 'arguments.key'),
  };
}
