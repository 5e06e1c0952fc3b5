import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { plainText } from '../../core/plainText.ts';
import { text, type Text } from '../../core/messages.ts';
import type { Json } from './json.ts';
import { PositionMap, type Problem, type SourceRange } from './problem.ts';

/** The longest file, in characters: far more than a person writes. */
export const MAX_SOURCE_LENGTH = 1024 * 1024;

/** How deep values may be nested: deeper than any pipeline needs, and far from what exhausts the stack. */
export const MAX_DEPTH = 32;

/** From the file's root to a value: keys and indices. */
export type Path = readonly PropertyKey[];

/** A file's text as a value, with the place of each part of it. */
export interface Source {
  readonly value: Json;
  /** Whether there is a value at this path. */
  has(path: Path): boolean;
  /** Of the value at this path, of an object or a list its opening bracket. Where there is no such value: of the nearest key around it. */
  rangeOf(path: Path): SourceRange;
  /** Of the key at this path's end; of a value that has no key as {@link rangeOf} says. */
  rangeOfKey(path: Path): SourceRange;
}

/**
 * Reads JSON with comments and trailing commas. A value is plain data: no key of the file reaches a prototype.
 *
 * @returns all that is wrong with the text, when something is; its content is not judged then, as nobody knows what was meant.
 */
export function parseSource(content: string): { readonly source: Source } | { readonly problems: readonly Problem[] } {
  const positions = new PositionMap(content);
  const at = (offset: number, length: number, problem: Text): { readonly problems: readonly Problem[] } => ({
    problems: [{ range: positions.range(offset, length), text: problem }],
  });
  if (content.length > MAX_SOURCE_LENGTH) {
    return at(0, 0, text('pipelineFile.tooLong', { most: MAX_SOURCE_LENGTH }));
  }
  const tooDeep = firstTooDeep(content);
  if (tooDeep !== undefined) {
    return at(tooDeep, 1, text('pipelineFile.tooDeep', { levels: MAX_DEPTH }));
  }
  const errors: ParseError[] = [];
  const root = parseTree(content, errors, { allowTrailingComma: true });
  if (root === undefined || errors.length > 0) {
    const problems = withoutEchoes(errors).map(({ error, offset, length }) => ({
      range: positions.range(offset, length),
      text: syntaxProblem(printParseErrorCode(error)),
    }));
    return problems.length > 0 ? { problems } : at(0, 0, text('pipelineFile.empty'));
  }
  const builder = new ValueBuilder(positions);
  const value = builder.build(root);
  return builder.problems.length > 0 ? { problems: builder.problems } : { source: located(value, root, positions) };
}

/** The parser misses a value behind a word that is none, and misses several things at one place. The first of these says what to do. */
function withoutEchoes(errors: readonly ParseError[]): readonly ParseError[] {
  const kept: ParseError[] = [];
  for (const found of errors) {
    const last = kept.at(-1);
    const isEcho =
      last !== undefined &&
      (found.offset === last.offset ||
        (printParseErrorCode(found.error) === 'ValueExpected' && found.offset <= last.offset + last.length));
    if (!isEcho) {
      kept.push(found);
    }
  }
  return kept;
}

/** Where the value stands that is nested too deep. Looked for without recursion, before anything recursive sees the text. */
function firstTooDeep(content: string): number | undefined {
  const scanner = createScanner(content, true);
  let depth = 0;
  for (let token: number = scanner.scan(); token !== END_OF_FILE; token = scanner.scan()) {
    if (token === OPEN_BRACE || token === OPEN_BRACKET) {
      depth += 1;
    } else if (token === CLOSE_BRACE || token === CLOSE_BRACKET) {
      depth -= 1;
    }
    if (depth > MAX_DEPTH) {
      return scanner.getTokenOffset();
    }
  }
  return undefined;
}

/** jsonc-parser's `SyntaxKind`, a const enum, which isolated modules cannot read. */
const OPEN_BRACE = 1;
const CLOSE_BRACE = 2;
const OPEN_BRACKET = 3;
const CLOSE_BRACKET = 4;
const END_OF_FILE = 17;

/** Makes plain values of the tree, and notes what JSON allows and a definition cannot mean. */
class ValueBuilder {
  readonly problems: Problem[] = [];
  readonly #positions: PositionMap;

  constructor(positions: PositionMap) {
    this.#positions = positions;
  }

  build(node: Node): Json {
    switch (node.type) {
      case 'object':
        return this.#object(node);
      case 'array':
        return (node.children ?? []).map((child) => this.build(child));
      case 'number':
        return this.#number(node);
      case 'string':
        return this.#string(node);
      case 'boolean':
      case 'null':
      case 'property':
        return node.value as boolean | null;
    }
  }

  #object({ children = [] }: Node): Json {
    const members = new Map<string, Json>();
    for (const { children: [key, value] = [] } of children) {
      if (key === undefined || value === undefined) {
        continue;
      }
      const name = this.#string(key);
      if (members.has(name)) {
        this.#report(key, text('pipelineFile.duplicateKey', { name: plainText(name) }));
      } else if (name === '__proto__') {
        // Parts of the platform treat it as no key at all, and some of them stand behind us.
        this.#report(key, text('pipelineFile.protoKey'));
      }
      members.set(name, this.build(value));
    }
    return Object.fromEntries(members);
  }

  #number(node: Node): number {
    const value = node.value as number;
    if (!Number.isFinite(value)) {
      this.#report(node, text('pipelineFile.numberTooLarge'));
    }
    return value;
  }

  #string(node: Node): string {
    const value = node.value as string;
    if (/\p{Surrogate}/u.test(value)) {
      this.#report(node, text('pipelineFile.surrogate'));
    }
    return value;
  }

  #report(node: Node, problem: Text): void {
    this.problems.push({ range: this.#positions.range(node.offset, node.length), text: problem });
  }
}

function located(value: Json, root: Node, positions: PositionMap): Source {
  const rangeOf = ({ type, offset, length }: Node): SourceRange =>
    positions.range(offset, type === 'object' || type === 'array' ? 1 : length);
  const rangeOfKey = (node: Node): SourceRange =>
    rangeOf(node.parent?.type === 'property' ? (node.parent.children?.[0] ?? node) : node);
  return {
    value,
    has: (path) => nearest(root, path).whole,
    rangeOf: (path) => {
      const { node, whole } = nearest(root, path);
      return whole ? rangeOf(node) : rangeOfKey(node);
    },
    rangeOfKey: (path) => rangeOfKey(nearest(root, path).node),
  };
}

function nearest(root: Node, path: Path): { readonly node: Node; readonly whole: boolean } {
  let node = root;
  for (const segment of path) {
    const next = node.type === 'array' ? node.children?.[Number(segment)] : memberOf(node, segment);
    if (next === undefined) {
      return { node, whole: false };
    }
    node = next;
  }
  return { node, whole: true };
}

function memberOf(node: Node, name: PropertyKey): Node | undefined {
  return node.type === 'object'
    ? node.children?.find(({ children }) => children?.[0]?.value === name)?.children?.[1]
    : undefined;
}

function syntaxProblem(code: ReturnType<typeof printParseErrorCode>): Text {
  switch (code) {
    case 'InvalidSymbol':
      return text('pipelineFile.syntax.symbol');
    case 'InvalidNumberFormat':
    case 'UnexpectedEndOfNumber':
      return text('pipelineFile.syntax.number');
    case 'PropertyNameExpected':
      return text('pipelineFile.syntax.key');
    case 'ValueExpected':
      return text('pipelineFile.syntax.value');
    case 'ColonExpected':
      return text('pipelineFile.syntax.colon');
    case 'CommaExpected':
      return text('pipelineFile.syntax.comma');
    case 'CloseBraceExpected':
      return text('pipelineFile.syntax.brace');
    case 'CloseBracketExpected':
      return text('pipelineFile.syntax.bracket');
    case 'EndOfFileExpected':
      return text('pipelineFile.syntax.end');
    case 'InvalidCommentToken':
    case 'UnexpectedEndOfComment':
      return text('pipelineFile.syntax.comment');
    case 'UnexpectedEndOfString':
      return text('pipelineFile.syntax.string');
    case 'InvalidUnicode':
    case 'InvalidEscapeCharacter':
      return text('pipelineFile.syntax.escape');
    case 'InvalidCharacter':
      return text('pipelineFile.syntax.character');
    case '<unknown ParseErrorCode>':
      return text('pipelineFile.syntax.other');
  }
}
