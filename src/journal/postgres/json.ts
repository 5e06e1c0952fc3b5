/**
 * A value as JSON that PostgreSQL takes. Its text holds no NUL and no half of a surrogate pair: they become U+FFFD, which is also what
 * a person is shown for them.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (typeof member === 'string' ? toText(member) : member));
}

/** A text that PostgreSQL takes. */
export function toText(value: string): string {
  return value.replaceAll('\0', '\uFFFD').replace(/\p{Surrogate}/gu, '\uFFFD');
}
