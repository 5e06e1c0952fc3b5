import { mkdirSync, writeFileSync } from 'node:fs';
import { english } from '../../src/core/messages.ts';

/** Writes l10n/bundle.l10n.json: every text of the catalogue, as its own translation into English. */
mkdirSync('l10n', { recursive: true });
const texts = [...new Set(Object.values(english))].sort();
writeFileSync(
  'l10n/bundle.l10n.json',
  `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])), null, 2)}\n`,
);
