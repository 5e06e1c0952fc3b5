/** The unit the gate works on: an unresolved action holds back mutations of its own scope and of no other (P4). */
export interface Scope {
  /** Embedded journal: the OS account. PostgreSQL: the database role. Never a name that a caller sends. */
  readonly user: string;
  /** A row in `sessions`; DESIGN's table of surfaces says which surface gets which. */
  readonly session: string;
}

/** Who brought the call, and so which session it has and whether a person can be asked. */
export type Surface = 'language_model_tool' | 'mcp_client' | 'pipeline' | 'extension_api' | 'manual';

/** A key for maps. Unambiguous: the user's length stands in front. */
export function scopeKey(scope: Scope): string {
  return `${scope.user.length}:${scope.user}:${scope.session}`;
}
