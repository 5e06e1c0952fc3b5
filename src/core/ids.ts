import { v7 } from 'uuid';

/** A UUID v7: unique, and sorted by the time it was made. */
export function newId(): string {
  return v7();
}

/** When a UUID v7 was made, in milliseconds since the epoch; undefined for any other id. */
export function timeOfId(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}

/** What a UUID v7 that is made at this time begins with: sorts among them by time. @param ms since the epoch. */
export function idPrefixAt(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
