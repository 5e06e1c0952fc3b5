import { createSay, untranslated } from '../core/messages.ts';
import { diagnosticsText, type Diagnostics } from './diagnosticsText.ts';

/** What must not leave this machine in a report. */
export interface Private {
  readonly home: string;
  readonly folders: readonly string[];
  /** The account, and whoever else's name may stand in a text. */
  readonly names: readonly string[];
}

/** A report for the maintainers, in English: figures and versions, no folder, no name, nothing that was sent or returned (P10). */
export function issueReport(diagnostics: Diagnostics, secrets: Private): string {
  const { journal } = diagnostics;
  const bare = journal.kind === 'open' ? { ...journal, folder: null } : journal;
  const text = diagnosticsText({ ...diagnostics, journal: bare }, createSay(untranslated));
  return redact(
    `## What happened\n\n(Say what you did, what you expected, and what you saw.)\n\n## State\n\n${text}`,
    secrets,
  );
}

/** Takes out what names a person or a place. The texts above hold none; this is for the day when one slips in. */
export function redact(text: string, { home, folders, names }: Private): string {
  const places = [...folders, home].filter((place) => place.length > 1).sort((a, b) => b.length - a.length);
  let redacted = text;
  for (const place of places) {
    redacted = redacted.replace(new RegExp(`${escaped(place)}[^\\s"'\`)]*`, 'giu'), '<path>');
  }
  redacted = redacted.replace(/(?:[A-Za-z]:\\|\\\\|(?<![\w/<:])\/)[^\s"'`)]+/gu, '<path>');
  for (const name of names.filter(({ length }) => length > 1)) {
    redacted = redacted.replace(new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(name)}(?![\\p{L}\\p{N}_])`, 'giu'), '<name>');
  }
  return redacted;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
