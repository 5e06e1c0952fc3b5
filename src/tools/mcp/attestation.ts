/** Where in the `_meta` of an error result a server attests that a call did nothing. */
export const RECOVERY_KEY = 'octipus/recovery';

/**
 * Whether a raw result attests that the call was not executed: `isError` is exactly `true`, and `_meta` has under {@link RECOVERY_KEY}
 * `{"outcome":"not_executed"}` and nothing besides (M4). Who believes it is another question.
 */
export function attestsNotExecuted(raw: unknown): boolean {
  if (!isRecord(raw) || raw['isError'] !== true || !isRecord(raw['_meta'])) {
    return false;
  }
  const attestation = Object.hasOwn(raw['_meta'], RECOVERY_KEY) ? raw['_meta'][RECOVERY_KEY] : undefined;
  return (
    isRecord(attestation) &&
    Object.keys(attestation).length === 1 &&
    Object.hasOwn(attestation, 'outcome') &&
    attestation['outcome'] === 'not_executed'
  );
}

/** Whether a raw result attests anything at all. One that is not believed says two things at once, and nobody can tell which is so (M4). */
export function attests(raw: unknown): boolean {
  return isRecord(raw) && isRecord(raw['_meta']) && Object.hasOwn(raw['_meta'], RECOVERY_KEY);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
