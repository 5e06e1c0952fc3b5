import { constants } from 'node:os';
import type { Say } from '../../core/messages.ts';
import type { Observation } from '../../core/tool.ts';
import { formatBytes, type KeptOutput } from './output.ts';

/** All that was seen of a command that was started. */
export interface CommandEnd {
  readonly observed: Observation;
  readonly output: KeptOutput;
  readonly ranMs: number;
  /** Pids that outlived the stop. */
  readonly survivors: readonly number[];
  /** A process that the command left behind was still alive, or held its output, when the command ended. */
  readonly backgroundChild: boolean;
}

/** What the agent is told: how the command ended, its output, notes. Nothing unknown is called done or failed (P9). */
export function resultText(end: CommandEnd, say: Say): string {
  const output = end.output.text === '' ? say('shell.output.none') : end.output.text.replace(/\r?\n$/, '');
  return [firstLine(end.observed, end.ranMs, say), output, ...notes(end, say)].join('\n\n');
}

/** The signal that a shell's exit code stands for: 128 + n is said of a child that signal n ended. */
export function signalLikeExit(code: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
}

function firstLine(observed: Observation, ranMs: number, say: Say): string {
  switch (observed.kind) {
    case 'exited':
      return say('shell.end.exited', { code: observed.code });
    case 'signalled':
      return `${say('shell.end.signalled', { signal: observed.signal })} ${say('shell.end.unknown')}`;
    case 'stopped': {
      const seconds = Number((ranMs / 1000).toFixed(1));
      return `${say(`shell.end.${observed.cause}`, { seconds })} ${say('shell.end.unknown')}`;
    }
    case 'returned':
    case 'error_result':
      return say('shell.end.unknown');
  }
}

function notes({ observed, output, survivors, backgroundChild }: CommandEnd, say: Say): readonly string[] {
  const found: string[] = [];
  const { keptBytes, totalBytes } = output;
  if (keptBytes < totalBytes) {
    const values = { kept: formatBytes(keptBytes, say), total: formatBytes(totalBytes, say) };
    found.push(say('shell.note.truncated', values));
  }
  const signal = observed.kind === 'exited' ? signalLikeExit(observed.code) : undefined;
  if (observed.kind === 'exited' && signal !== undefined) {
    found.push(say('shell.note.exitLikeSignal', { code: observed.code, signal }));
  }
  if (survivors.length > 0) {
    found.push(say('shell.note.survivors', { pids: survivors.join(', ') }));
  }
  if (backgroundChild) {
    found.push(say('shell.note.backgroundChild'));
  }
  return found;
}
