import { isUnresolved, type ActionRecord } from '../../core/action.ts';
import { howItEnded } from '../../core/actionText.ts';
import { pointInTime, type Say } from '../../core/messages.ts';
import { plainText } from '../../core/plainText.ts';
import type { CommandWatch } from './commandWatch.ts';
import { formatBytes, type KeptOutput } from './output.ts';
import { endNotes, endText, outputText, secondsText } from './resultText.ts';
import { survivingProcess } from './survivingProcess.ts';

/** How much of a command's output is shown where nobody asked for more, in bytes. */
export const SHOWN_OUTPUT_BYTES = 32 * 1024;

/** One line of a list: record, state, the command's first line. */
export function statusLine(watch: CommandWatch, say: Say, now: number): string {
  const { command, end } = watch;
  const state =
    end === undefined
      ? say('shell.status.running', {
          seconds: secondsText(now - command.startedAt),
          pid: command.pid,
          size: formatBytes(command.output.totalBytes, say),
        })
      : say('shell.status.ended', { time: pointInTime(end.endedAt, now), end: endText(end, say) });
  return say('shell.status.item', {
    id: command.actionId,
    state,
    command: plainText(command.description.command.split('\n')[0] ?? ''),
  });
}

/**
 * How a command is going or how it ended, and what it has printed. Nothing unknown is called done or failed (P9).
 *
 * @param outputBytes the most to show of the output.
 */
export function statusText(watch: CommandWatch, outputBytes: number, say: Say, now: number): string {
  const { command, end } = watch;
  const output = command.output.read(say, outputBytes);
  const seconds = secondsText(now - command.startedAt);
  return paragraphs(
    end === undefined ? say('shell.status.stillRunning', { seconds, pid: command.pid }) : endText(end, say),
    outputText(output, say),
    shortened(output, say),
    ...(end === undefined ? [] : endNotes(end, say)),
  );
}

/** What the journal says beside it of a command that has ended. */
export function recordedText(action: ActionRecord, say: Say): string {
  if (isUnresolved(action)) {
    return say('outcome.advice', { id: action.id });
  }
  return action.outcome === 'started' ? say('shell.status.beingRecorded') : '';
}

/** What is left of a command that this window did not run, or has forgotten: its record. */
export function pastText(action: ActionRecord, platform: NodeJS.Platform, say: Say): string {
  const pid = survivingProcess(action, platform);
  return paragraphs(
    say('shell.status.past', { ending: howItEnded(action, say) }),
    pid === undefined ? '' : say('shell.status.alive', { pid }),
    isUnresolved(action) ? say('outcome.advice', { id: action.id }) : '',
  );
}

function shortened({ keptBytes, totalBytes }: KeptOutput, say: Say): string {
  const values = { kept: formatBytes(keptBytes, say), total: formatBytes(totalBytes, say) };
  return keptBytes < totalBytes ? say('shell.status.shortened', values) : '';
}

export function paragraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
