import { UNSEEN } from '../../core/plainText.ts';
import { toolLabel, type ToolIdentity } from '../../core/tool.ts';

/** Exactly what a call would send, for a person: the tool and its arguments as JSON, in which nothing can hide or reorder text. */
export function describeCall(tool: ToolIdentity, input: unknown): string {
  return `${visible(toolLabel(tool))}\n${visible(JSON.stringify(input, null, 2))}`;
}

/** What cannot be seen. Line feeds are kept, because the JSON is laid out in lines. */
const ESCAPED = new RegExp(String.raw`(?!\n)${UNSEEN}`, 'gu');

/** In JSON this is the same text: only its escapes are others. */
function visible(text: string): string {
  return text.replace(ESCAPED, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
