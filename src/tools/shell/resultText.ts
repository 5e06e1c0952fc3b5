import { constants } from 'node:os';
import type { Say } from '../../core/messages.ts';
import type { Observation } from '../../core/tool.ts';
import { formatBytes, type KeptOutput } from './output.ts';

/** All that was seen of a command that was started. */
export interface CommandEnd {
  readonly observed: Observation;
  readonly ranMs: number;
  /** The command ran in the background: who cancels it then does so by asking to stop it. */
  readonly background: boolean;
  /** When it was seen to have ended, in milliseconds since the epoch. */
  readonly endedAt: number;
  /** Pids that outlived the stop. */
  readonly survivors: readonly number[];
  /** A process that the command left behind was still alive, or held its output, when the command ended. */
  readonly backgroundChild: boolean;
}

/** What the agent is told: how the command ended, its output, notes. Nothing unknown is called done or failed (P9). */
export function resultText(end: CommandEnd, output: KeptOutput, say: Say): string {
  return [endText(end, say), outputText(output, say), ...truncationNote(output, say), ...endNotes(end, say)].join(
    '\n\n',
  );
}

/** What a command printed, without the last line's end. */
export function outputText({ text }: KeptOutput, say: Say): string {
  return text === '' ? say('shell.output.none') : text.replace(/\r?\n$/, '');
}

/** The end alone, in a sentence or two. */
export function endText({ observed, ranMs, background }: CommandEnd, say: Say): string {
  switch (observed.kind) {
    case 'exited':
      return say('shell.end.exited', { code: observed.code });
    case 'signalled':
      return `${say('shell.end.signalled', { signal: observed.signal })} ${say('shell.end.unknown')}`;
    case 'stopped': {
      const seconds = secondsText(ranMs);
      const asked = background && observed.cause === 'cancelled';
      const stopped = asked ? say('shell.end.asked', { seconds }) : say(`shell.end.${observed.cause}`, { seconds });
      return `${stopped} ${say('shell.end.unknown')}`;
    }
    case 'returned':
    case 'lost':
    case 'error_result':
      return say('shell.end.unknown');
  }
}

/** Whole seconds and one decimal place, without a zero there. */
export function secondsText(ms: number): number {
  return Number((ms / 1000).toFixed(1));
}

/** The signal that a shell's exit code stands for: 128 + n is said of a child that signal n ended. */
export function signalLikeExit(code: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
}

function truncationNote({ keptBytes, totalBytes }: KeptOutput, say: Say): readonly string[] {
  const values = { kept: formatBytes(keptBytes, say), total: formatBytes(totalBytes, say) };
  return keptBytes < totalBytes ? [say('shell.note.truncated', values)] : [];
}

/** What else is to be known of an end. */
export function endNotes({ observed, survivors, backgroundChild }: CommandEnd, say: Say): readonly string[] {
  const found: string[] = [];
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
