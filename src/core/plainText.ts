/**
 * A character that cannot be seen, or that reorders what is seen (bidi overrides): control, format, private, unassigned and ignorable
 * characters, and every blank but the space. Source of a regular expression with the flag `u`.
 */
export const UNSEEN = String.raw`(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}]`;

const UNSEEN_RUN = new RegExp(`(?:${UNSEEN})+`, 'gu');

/**
 * Text from outside made fit for a notification or a list: one line, nothing invisible, no link syntax (VS Code turns
 * `[text](command:…)` in a notification into a link), cut to `limit` characters.
 */
export function plainText(text: string, limit = 80): string {
  const line = text.replace(UNSEEN_RUN, ' ').replaceAll('[', '(').replaceAll(']', ')').replaceAll('$(', '$ (').trim();
  const characters = Array.from(line);
  return characters.length <= limit ? line : `${characters.slice(0, limit - 1).join('')}…`;
}
