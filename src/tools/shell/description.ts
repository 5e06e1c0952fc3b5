import type { Say } from '../../core/messages.ts';
import { UNSEEN } from '../../core/plainText.ts';
import type { CommandPlan } from './commandPlan.ts';

/** What a person is shown before they allow a command. Every part is safe to show: nothing in it can hide or reorder text. */
export interface CommandDescription {
  /** The command line as it goes to the shell, or the arguments as a JSON list. Line breaks and tabs stand as they are. */
  readonly command: string;
  /** The shell's path; null when the program is started without a shell. */
  readonly shell: string | null;
  readonly folder: string;
  /** Null: in the background, without a limit. */
  readonly timeLimitSeconds: number | null;
  /** Whether `command` holds `⟨U+…⟩` in place of characters that would not be seen. */
  readonly hasInvisible: boolean;
}

/** Says exactly what a plan runs, for VS Code's confirmation. */
export function describePlan(plan: CommandPlan): CommandDescription {
  const source = plan.shell === null ? JSON.stringify([plan.program, ...plan.arguments]) : plan.shell.command;
  const command = source.replace(MARKED, mark);
  return {
    command,
    shell: plan.shell === null ? null : oneLine(plan.program),
    folder: oneLine(plan.folder),
    timeLimitSeconds: plan.timeLimitMs === null ? null : plan.timeLimitMs / 1000,
    hasInvisible: command !== source,
  };
}

/** The description as plain text, the command first. */
export function descriptionText(description: CommandDescription, say: Say): string {
  const { command, shell, folder, hasInvisible } = description;
  const limit = limitText(description, say);
  return [
    command,
    shell === null
      ? say('shell.plan.withoutShell', { folder, limit })
      : say('shell.plan.byShell', { shell, folder, limit }),
    ...(hasInvisible ? [say('shell.plan.invisible')] : []),
  ].join('\n');
}

/**
 * The description as Markdown, in which neither the command nor a path can end its own quotation. Where in comes first: VS
 * Code's dialogs drop the formatting, and text behind a fence would then run into the command.
 */
export function descriptionMarkdown(description: CommandDescription, say: Say): string {
  const { command, shell, hasInvisible } = description;
  const folder = span(description.folder);
  const limit = limitText(description, say);
  return [
    shell === null
      ? say('shell.plan.heading.withoutShell', { folder, limit })
      : say('shell.plan.heading.byShell', { shell: span(shell), folder, limit }),
    ...(hasInvisible ? [say('shell.plan.invisible')] : []),
    fenced(command),
  ].join('\n\n');
}

function limitText({ timeLimitSeconds: seconds }: CommandDescription, say: Say): string {
  return seconds === null ? say('shell.plan.background') : say('shell.plan.limit', { seconds });
}

/** What cannot be seen, and the bracket that marks it. Tab and line feed are kept, because shell text has them. */
const MARKED = new RegExp(String.raw`(?![\t\n])(?:${UNSEEN}|⟨)`, 'gu');

function mark(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

function oneLine(text: string): string {
  return text.replace(MARKED, mark).replace(/[\t\n]/g, mark);
}

/** Text as a Markdown block that it cannot end by itself. */
export function fenced(text: string): string {
  const fence = backticks(text, 3);
  return `${fence}text\n${text}\n${fence}`;
}

function span(text: string): string {
  const quote = backticks(text, 1);
  return `${quote} ${text} ${quote}`;
}

/** A run of backticks, at least so long, that the text does not hold. */
function backticks(text: string, atLeast: number): string {
  const longest = Math.max(atLeast - 1, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  return '`'.repeat(longest + 1);
}
