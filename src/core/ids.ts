import { v7 } from 'uuid';

/** A UUID v7: unique, and sorted by the time it was made. */
export function newId(): string {
  return v7();
}
