import type { Spread } from './samples.ts';

/** One measured thing, as `out/bench.json` holds it. */
export interface Line extends Spread {
  /** Stable: what is compared over time is found by it. */
  readonly id: string;
  readonly unit: 'ms' | 'bytes' | 'count';
  /** This p50 over that of the line `ratioTo`. */
  readonly ratio: number | null;
  readonly ratioTo: string | null;
  /** The most that is allowed: of the ratio where there is one, else of p50 (ms) or of the highest count. */
  readonly bound: number | null;
  /** False when the bound is missed. */
  readonly ok: boolean;
}

export interface LineOptions {
  readonly unit?: Line['unit'];
  readonly ratioTo?: string;
  readonly bound?: number;
  /** For the table: what the id does not say. */
  readonly note?: string;
}

/** All lines of a run, in sections for the table. */
export class Report {
  readonly #sections: { readonly title: string; readonly lines: Line[]; readonly extra: string[] }[] = [];
  readonly #notes = new Map<string, string>();

  section(title: string): void {
    this.#sections.push({ title, lines: [], extra: [] });
  }

  /** @param options `ratioTo` names a line that was added before. */
  add(id: string, spread: Spread, options: LineOptions = {}): void {
    const { unit = 'ms', ratioTo = null, bound = null } = options;
    const ratio = ratioTo === null ? null : spread.p50 / this.#line(ratioTo).p50;
    const judged = ratio ?? (unit === 'ms' ? spread.p50 : spread.p99);
    const { p50, p99 } = spread;
    this.#current.lines.push({ id, p50, p99, unit, ratio, ratioTo, bound, ok: bound === null || judged <= bound });
    if (options.note !== undefined) {
      this.#notes.set(id, options.note);
    }
  }

  /** A line of text below the section's lines. */
  say(text: string): void {
    this.#current.extra.push(text);
  }

  get lines(): readonly Line[] {
    return this.#sections.flatMap((section) => section.lines);
  }

  get missed(): readonly Line[] {
    return this.lines.filter((line) => !line.ok);
  }

  toString(): string {
    const rows = this.#sections.flatMap(({ title, lines, extra }) => [
      '',
      title,
      ...lines.map((line) => this.#row(line)),
      ...extra.map((text) => `    ${text}`),
    ]);
    const head = `  ${'id'.padEnd(34)}${'p50'.padStart(11)}${'p99'.padStart(11)}  unit     ratio  to (bound)`;
    return [head, ...rows].join('\n');
  }

  #row(line: Line): string {
    const { id, p50, p99, unit, ratio, ratioTo, bound, ok } = line;
    const verdict = bound === null ? ' ' : ok ? '✓' : '✗';
    const against = [ratioTo ?? '', bound === null ? '' : `(≤ ${bound})`, this.#notes.get(id) ?? ''].filter(
      (part) => part !== '',
    );
    const values = `${figure(p50, unit).padStart(11)}${figure(p99, unit).padStart(11)}`;
    const ratioText = (ratio === null ? '' : ratio.toFixed(ratio < 0.1 ? 3 : 2)).padStart(8);
    return `${verdict} ${id.padEnd(34)}${values}  ${unit.padEnd(5)} ${ratioText}  ${against.join(' ')}`.trimEnd();
  }

  #line(id: string): Line {
    const line = this.lines.find((candidate) => candidate.id === id);
    if (line === undefined) {
      throw new Error(`No line ${id} was added before`);
    }
    return line;
  }

  get #current(): { readonly lines: Line[]; readonly extra: string[] } {
    const section = this.#sections.at(-1);
    if (section === undefined) {
      throw new Error('No section was begun');
    }
    return section;
  }
}

function figure(value: number, unit: Line['unit']): string {
  return unit === 'ms' ? value.toFixed(value < 100 ? 3 : 0) : Math.round(value).toLocaleString('en');
}
