/** Characters that are not seen or that reorder what is seen: control, format (bidi among them), separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/**
 * Text from outside made fit for a notification or a list: one line, nothing invisible, no link syntax (VS Code turns
 * `[text](command:…)` in a notification into a link), cut to `limit` characters.
 */
export function plainText(text: string, limit = 80): string {
  const line = text.replace(UNSEEN, ' ').replaceAll('[', '(').replaceAll(']', ')').replaceAll('$(', '$ (').trim();
  const characters = Array.from(line);
  return characters.length <= limit ? line : `${characters.slice(0, limit - 1).join('')}…`;
}
