/** A moment on the clock that never jumps back (`Clock.monotonic`), in milliseconds; null: never. */
export type Moment = number | null;

export function earliest(...moments: readonly Moment[]): Moment {
  return moments.reduce(
    (first, moment) => (first === null || (moment !== null && moment < first) ? moment : first),
    null,
  );
}

export function hasCome(moment: Moment, now: number): boolean {
  return moment !== null && moment <= now;
}
