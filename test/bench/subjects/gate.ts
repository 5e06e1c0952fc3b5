import { UNRESOLVED_IN_SCOPE } from '../../../src/journal/sqlite/operations/startAction.ts';
import { openEngine, type Engine } from '../../../src/journal/sqlite/engine.ts';
import { Statements } from '../../../src/journal/sqlite/statements.ts';
import { serve } from './serve.ts';
import { scope } from './story.ts';

const ELSEWHERE = `
  SELECT id, acknowledged_by FROM tool_actions
  WHERE user_id = ? AND session_id <> ? AND outcome = 'uncertain' AND acknowledged_by IS NOT NULL LIMIT ?`;

/** The gate's look at a scope with nothing unresolved, while other scopes have more or less. */
export class Gate {
  #engine: Engine | undefined;
  #statements: Statements | undefined;
  #elsewhere: readonly string[] = [];
  #unresolved = 0;

  /** @returns how many actions of other scopes can be made unresolved. */
  async open(folder: string, wasmFile: string, most: number): Promise<number> {
    this.#engine = await openEngine({ folder, wasmFile });
    this.#statements = new Statements(this.#engine.database);
    this.#elsewhere = this.#statements.all(ELSEWHERE, scope.user, scope.session, most).map((row) => String(row['id']));
    return this.#elsewhere.length;
  }

  /** Makes exactly that many actions of other scopes unresolved. */
  prepare(count: number): void {
    const statements = this.#statements!;
    statements.run('BEGIN IMMEDIATE');
    const changing = this.#elsewhere.slice(Math.min(count, this.#unresolved), Math.max(count, this.#unresolved));
    changing.forEach((id) => {
      statements.run(
        'UPDATE tool_actions SET acknowledged_by = ?, acknowledged_at = ? WHERE id = ?',
        count > this.#unresolved ? null : 'review',
        count > this.#unresolved ? null : 0,
        id,
      );
    });
    statements.run('COMMIT');
    this.#unresolved = count;
  }

  /** @returns milliseconds of each look. */
  round(looks: number): number[] {
    const statements = this.#statements!;
    return Array.from({ length: looks }, () => {
      const began = performance.now();
      const count = statements.first(UNRESOLVED_IN_SCOPE, scope.user, scope.session)?.['count'];
      const took = performance.now() - began;
      if (count !== 0) {
        throw new Error(`The gate saw ${String(count)} unresolved actions in a scope that has none`);
      }
      return took;
    });
  }

  close(): void {
    this.#engine!.abandon();
  }
}

serve(new Gate());
