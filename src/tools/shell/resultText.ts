import { constants } from 'node:os';
import type { StopCause } from '../../core/evidence.ts';
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
export function resultText(end: CommandEnd): string {
  const output = end.output.text === '' ? '(no output)' : end.output.text.replace(/\r?\n$/, '');
  return [firstLine(end.observed, end.ranMs), output, ...notes(end)].join('\n\n');
}

/** The signal that a shell's exit code stands for: 128 + n is said of a child that signal n ended. */
export function signalLikeExit(code: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
}

const UNKNOWN = 'Partial effects are possible; whether the command finished its work is unknown.';

function firstLine(observed: Observation, ranMs: number): string {
  switch (observed.kind) {
    case 'exited':
      return `Exit code ${observed.code}.`;
    case 'signalled':
      return `Ended by ${observed.signal}, which Holdfast did not send. ${UNKNOWN}`;
    case 'stopped':
      return `${stopped(observed.cause, formatSeconds(ranMs))} ${UNKNOWN}`;
    case 'returned':
    case 'error_result':
      return UNKNOWN;
  }
}

function stopped(cause: StopCause, after: string): string {
  switch (cause) {
    case 'timed_out':
      return `Stopped after ${after}: the time limit was reached.`;
    case 'cancelled':
      return `Stopped after ${after}: the call was cancelled.`;
    case 'stopped_by_host':
      return `Stopped after ${after}: the editor is shutting down.`;
  }
}

function notes({ observed, output, survivors, backgroundChild }: CommandEnd): readonly string[] {
  const found: string[] = [];
  if (output.keptBytes < output.totalBytes) {
    found.push(
      `Output truncated: ${formatBytes(output.keptBytes)} of ${formatBytes(output.totalBytes)} are shown, the beginning and the end.`,
    );
  }
  const signal = observed.kind === 'exited' ? signalLikeExit(observed.code) : undefined;
  if (observed.kind === 'exited' && signal !== undefined) {
    found.push(
      `The shell itself exited, with code ${observed.code}; that usually means that ${signal} ended a process it had started.`,
    );
  }
  if (survivors.length > 0) {
    found.push(
      `Not stopped, because they left the command's process group or could not be ended: pid ${survivors.join(', ')}.`,
    );
  }
  if (backgroundChild) {
    found.push('A process that the command started in the background is still running; its later output is not shown.');
  }
  return found.map((note) => `Note: ${note}`);
}

function formatSeconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`;
}
