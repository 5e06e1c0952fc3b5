import type { Text } from '../../core/messages.ts';

/** A place in a file. Lines and columns count from 1, columns in UTF-16 units, as VS Code shows them; an end is the place behind. */
export interface SourceRange {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** What is wrong with a file, where, and what to do about it. */
export interface Problem {
  readonly range: SourceRange;
  readonly text: Text;
}

/** Finds lines and columns. Line ends are those of VS Code: `\n`, `\r\n` and `\r`. */
export class PositionMap {
  readonly #lineStarts: number[] = [0];
  readonly #length: number;

  constructor(content: string) {
    for (const { 0: lineEnd, index } of content.matchAll(/\r\n|\r|\n/g)) {
      this.#lineStarts.push(index + lineEnd.length);
    }
    this.#length = content.length;
  }

  range(offset: number, length: number): SourceRange {
    const [line, column] = this.#at(offset);
    const [endLine, endColumn] = this.#at(Math.min(offset + length, this.#length));
    return { line, column, endLine, endColumn };
  }

  #at(offset: number): readonly [line: number, column: number] {
    let low = 0;
    let high = this.#lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return [low + 1, offset - (this.#lineStarts[low] ?? 0) + 1];
  }
}

/** In the file's order. Two at one place keep theirs. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort(({ range: one }, { range: other }) => one.line - other.line || one.column - other.column);
}
