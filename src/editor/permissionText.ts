import type { Decision, Grant } from '../core/decision.ts';
import type { MessageKey, Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';

/** What allowed or denied a call, for a person: a rule, a grant or somebody. Written as it stands in a record, e.g. `rule:git.*`. */
export function decidedByText(by: string, say: Say): string {
  const [kind = '', ...rest] = by.split(':');
  const rule = plainText(rest.join(':'), 200);
  switch (kind) {
    case 'default':
      return say('permissions.by.default');
    case 'rule':
      return say('permissions.by.rule', { rule });
    case 'workspaceRule':
      return say('permissions.by.workspaceRule', { rule });
    case 'grant':
      return say('permissions.by.grant');
    case 'pause':
      return say('permissions.by.pause');
    case 'decision':
      return say('permissions.by.person');
    default:
      return plainText(by, 200);
  }
}

/** What became of a decision, in a few words. */
export function decisionState(decision: Decision, say: Say): string {
  const { kind, state, cancelReason, answeredFrom, decidedBy } = decision;
  // Only a person answers from somewhere.
  const by = answeredFrom === null ? decidedByText(decidedBy ?? '', say) : plainText(decidedBy ?? '', 80);
  const why = cancelReason === null ? '' : say(`decision.why.${cancelReason}`);
  switch (state) {
    case 'open':
      return say('decision.open');
    case 'approved':
      return kind === 'permission' ? say('decision.approved', { by }) : say('decision.reviewApproved', { by });
    case 'denied':
      return cancelReason === 'reopened' ? say('decision.denied.reopened', { by }) : say('decision.denied', { by });
    case 'expired':
      return decidedBy === null ? say('decision.expired') : say('decision.expired.approved', { by });
    case 'cancelled':
      return decidedBy === null ? say('decision.cancelled', { why }) : say('decision.approved.unused', { by, why });
  }
}

/** What kind of decision it is. */
export function decisionKind({ kind }: Decision, say: Say): string {
  const key: MessageKey = kind === 'permission' || kind === 'recovery' ? `decision.${kind}` : 'decision.other';
  return say(key);
}

/** How long a grant counts, and where. */
export function grantSpan(grant: Grant, sessionText: (session: string) => string, say: Say): string {
  return grant.session === null
    ? say('permissions.grant.always')
    : say('permissions.grant.session', { session: sessionText(grant.session) });
}

export function grantState({ revokedBy }: Grant, say: Say): string {
  return revokedBy === null ? say('grant.inForce') : say('grant.revokedBy', { by: plainText(revokedBy, 80) });
}
