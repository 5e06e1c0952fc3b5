import { toolLabel, type ToolIdentity } from '../../core/tool.ts';

/** Exactly what a call would send, for a person: the tool and its arguments as JSON, in which nothing can hide or reorder text. */
export function describeCall(tool: ToolIdentity, input: unknown): string {
  return `${visible(toolLabel(tool))}\n${visible(JSON.stringify(input, null, 2))}`;
}

/** What cannot be seen, or reorders text: control, format, private, unassigned and ignorable characters, blanks but the space. */
const UNSEEN = /(?![\n ])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}]/gu;

/** In JSON this is the same text: only its escapes are others. */
function visible(text: string): string {
  return text.replace(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
