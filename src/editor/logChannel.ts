import { window, type LogOutputChannel } from 'vscode';
import type { Disposable } from '../core/disposable.ts';
import type { Log, LogFields } from '../core/log.ts';

/**
 * The Holdfast output channel. It is a file on disk, so only event names and identifiers go there (P10). Once disposed it
 * swallows what comes: VS Code may dispose it while `deactivate` still records what was stopped, and a closed channel throws.
 */
export function createLogChannel(): Log & Disposable {
  let channel: LogOutputChannel | undefined = window.createOutputChannel('Holdfast', { log: true });
  const line = (event: string, fields?: LogFields): string =>
    fields === undefined ? event : `${event} ${JSON.stringify(fields)}`;
  return {
    trace: (event, fields) => {
      channel?.trace(line(event, fields));
    },
    info: (event, fields) => {
      channel?.info(line(event, fields));
    },
    warn: (event, fields) => {
      channel?.warn(line(event, fields));
    },
    error: (event, fields) => {
      channel?.error(line(event, fields));
    },
    dispose: () => {
      channel?.dispose();
      channel = undefined;
    },
  };
}
