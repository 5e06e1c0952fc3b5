/**
 * What a permission rule names. `git.*` names tools by their label `server.tool`, where a `*` stands for any text. Words in brackets
 * narrow it to calls that begin so: `holdfast.runCommand(git push)` names the calls of that tool whose subject (`Tool.ruleSubject`)
 * begins with the words `git` and `push`. In a word, too, a `*` stands for any text; a word with blanks, brackets, quotes or a star of
 * its own stands as a JSON string: `(npm run "my script")`.
 */
export interface RulePattern {
  readonly tool: string;
  /** The words in brackets; null: the rule is for the whole tool. */
  readonly words: readonly Word[] | null;
  /** The brackets cannot be read. */
  readonly broken: boolean;
}

interface Word {
  readonly text: string;
  /** It stood in quotes: no star in it means anything. */
  readonly literal: boolean;
}

const BRACKETS = /^([^(]*)\((.*)$/su;
const WORDS = /^(?:\s*(?:"(?:[^"\\]|\\.)*"|[^\s"()]+)(?=\s|$))+\s*$/su;
const WORD = /"(?:[^"\\]|\\.)*"|[^\s"]+/gsu;

export function parsePattern(pattern: string): RulePattern {
  const brackets = BRACKETS.exec(pattern);
  if (brackets === null) {
    return { tool: pattern, words: null, broken: false };
  }
  const [, tool = '', rest = ''] = brackets;
  const inside = rest.endsWith(')') ? rest.slice(0, -1) : '';
  const words = WORDS.test(inside) ? wordsOf(inside) : undefined;
  return words === undefined ? { tool, words: null, broken: true } : { tool, words, broken: false };
}

/** How narrow a pattern is: the words of the call count before the name of the tool. */
export function narrowness({ tool, words }: RulePattern): readonly [number, number] {
  const letters = (words ?? []).reduce(
    (sum, { text, literal }) => sum + 1 + (literal ? text.length : literals(text)),
    0,
  );
  return [letters, literals(tool)];
}

/** Whether a call's subject begins with the words of a rule. */
export function beginsWith(subject: readonly string[], words: readonly Word[]): boolean {
  return words.every(({ text, literal }, index) => {
    const word = subject[index];
    return word !== undefined && (literal ? word === text : matchesText(text, word));
  });
}

/** In linear time: patterns also come from workspace files. The pieces between the stars stand in the text in their order. */
export function matchesText(pattern: string, text: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) {
    return text === pattern;
  }
  if (!text.startsWith(first)) {
    return false;
  }
  let at = first.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found < 0) {
      return false;
    }
    at = found + piece.length;
  }
  return text.length >= at + last.length && text.endsWith(last);
}

function literals(pattern: string): number {
  return pattern.replaceAll('*', '').length;
}

function wordsOf(inside: string): readonly Word[] | undefined {
  try {
    return Array.from(inside.matchAll(WORD), ([word]) =>
      word.startsWith('"') ? { text: String(JSON.parse(word)), literal: true } : { text: word, literal: false },
    );
  } catch {
    return undefined;
  }
}
