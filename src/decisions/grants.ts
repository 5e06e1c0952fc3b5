import type { Grant } from '../core/decision.ts';
import type { Scope } from '../core/scope.ts';
import type { Tool } from '../core/tool.ts';
import type { Journal } from '../journal/journal.ts';

/** More than a person gives one tool. */
const MOST = 100;

/** What was remembered for a tool. */
export interface GrantFinding {
  /** Counts for the tool as it is defined now. */
  readonly grant: Grant | undefined;
  /** There is one for the tool as it was defined before, and none for it now: a person has to look again. */
  readonly definitionChanged: boolean;
}

/** Looks for a grant that counts for a call of the tool in a scope right now. Read for each call: a revocation counts at once. */
export async function findGrant(journal: Journal, scope: Scope, tool: Tool): Promise<GrantFinding> {
  const grants = await journal.listGrants({ ...scope, tool: tool.identity, limit: MOST });
  const grant = grants.find(({ definitionHash }) => definitionHash === tool.definitionHash);
  return { grant, definitionChanged: grant === undefined && grants.length > 0 };
}

/** Whether a grant still counts (P5). */
export async function isGranted(journal: Journal, scope: Scope, tool: Tool, grantId: string): Promise<boolean> {
  const grants = await journal.listGrants({ ...scope, tool: tool.identity, limit: MOST });
  return grants.some(({ id }) => id === grantId);
}
