import type { Failpoints } from '../../failpoints.ts';
import type { Statements } from '../statements.ts';

/** What an operation works with. Operations are synchronous: the worker puts the transaction around them. */
export interface OperationContext {
  readonly statements: Statements;
  readonly failpoints: Failpoints;
  /** The process that writes. */
  readonly ownerId: string;
  /** When the journal's predecessor was found lost; null where nothing is known to be lost (P15). */
  readonly lostBefore: number | null;
  /** The journal's time: milliseconds since the epoch. */
  now(): number;
  newId(): string;
}
