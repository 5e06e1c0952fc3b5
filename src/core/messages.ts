import { answers } from './messages/answers.ts';
import { care } from './messages/care.ts';
import { changeOver } from './messages/changeOver.ts';
import { commands } from './messages/commands.ts';
import { deadlines } from './messages/deadlines.ts';
import { findings } from './messages/findings.ts';
import { invites } from './messages/invites.ts';
import { journal } from './messages/journal.ts';
import { mcp } from './messages/mcp.ts';
import { needsReview } from './messages/needsReview.ts';
import { panel } from './messages/panel.ts';
import { permissions } from './messages/permissions.ts';
import { pipelineFiles } from './messages/pipelineFiles.ts';
import { postgres } from './messages/postgres.ts';
import { removal } from './messages/removal.ts';
import { reviews } from './messages/reviews.ts';
import { runs } from './messages/runs.ts';
import { servers } from './messages/servers.ts';
import { shell } from './messages/shell.ts';
import { window } from './messages/window.ts';

/**
 * Every text that a person or an agent reads, by key. The English text is also the key of a translation
 * (l10n/bundle.l10n.json is written from here by `npm run l10n`).
 */
export const english = {
  ...answers,
  ...reviews,
  ...findings,
  ...panel,
  ...needsReview,
  ...window,
  ...shell,
  ...mcp,
  ...servers,
  ...commands,
  ...deadlines,
  ...journal,
  ...invites,
  ...changeOver,
  ...care,
  ...removal,
  ...runs,
  ...postgres,
  ...permissions,
  ...pipelineFiles,
} as const;

export type MessageKey = keyof typeof english;

type Placeholders<English extends string> = English extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

type Values<Key extends MessageKey> = [Placeholders<(typeof english)[Key]>] extends [never]
  ? []
  : [values: Readonly<Record<Placeholders<(typeof english)[Key]>, string | number>>];

/** Says a text of the catalogue. A missing or misspelt placeholder does not compile. */
export type Say = <Key extends MessageKey>(key: Key, ...values: Values<Key>) => string;

/** Looks a text up in the user's language and fills `{name}` placeholders. In the editor: `vscode.l10n.t`. */
export type Translate = (text: string, values: Readonly<Record<string, string | number>>) => string;

export function createSay(translate: Translate): Say {
  return (key, ...values) => translate(english[key], values[0] ?? {});
}

/** Fills placeholders without translating; for Node alone and for tests. */
export const untranslated: Translate = (text, values) =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));

/** A text of the catalogue that somebody else will say, where the reader's language is known. Plain data: it crosses threads. */
export interface Text {
  readonly key: MessageKey;
  readonly values: Readonly<Record<string, string | number>>;
}

export function text<Key extends MessageKey>(key: Key, ...values: Values<Key>): Text {
  return { key, values: values[0] ?? {} };
}

export function sayText({ key, values }: Text, say: Say): string {
  // `text` has checked that the values are the key's own.
  return (say as (key: MessageKey, values: Text['values']) => string)(key, values);
}

/** A time in the person's own zone, as short as it is clear: `10:42` today, `Nov 29, 2026, 10:42` on any other day. */
export function pointInTime(at: number, now: number): string {
  const date = new Date(at);
  return date.toDateString() === new Date(now).toDateString()
    ? date.toLocaleTimeString([], { timeStyle: 'short' })
    : date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}

/** Date and time of day to the second, in the person's own zone: for records. */
export function fullTime(at: number): string {
  return new Date(at).toLocaleString();
}
