import type { ActionRecord } from '../../src/core/action.ts';
import type { Decision } from '../../src/core/decision.ts';
import { newId } from '../../src/core/ids.ts';
import type { RequestAttention } from '../../src/decisions/inbox.ts';

/** An open recovery review as a journal would answer it; a test names what it cares for. */
export function reviewOf(overrides: Partial<Decision> = {}): Decision {
  return {
    id: newId(),
    kind: 'recovery',
    state: 'open',
    revision: 1,
    scope: { user: 'alice', session: 'one' },
    openedAt: 0,
    expiresAt: null,
    decidedAt: null,
    decidedBy: null,
    answeredFrom: null,
    note: null,
    cancelReason: null,
    waiting: null,
    execution: null,
    executionReason: null,
    run: null,
    checkpoint: null,
    actions: [],
    actionCount: overrides.actions?.length ?? 0,
    ...overrides,
  };
}

/** An action whose outcome is unknown. */
export function uncertainAction(overrides: Partial<ActionRecord> = {}): ActionRecord {
  return {
    id: newId(),
    scope: { user: 'alice', session: 'one' },
    surface: 'language_model_tool',
    agent: null,
    attended: true,
    tool: { server: 'shell', name: 'run' },
    definitionHash: 'd',
    argumentHash: 'a',
    allowedBy: 'rule:shell.run',
    run: null,
    outcome: 'uncertain',
    reason: 'timed_out',
    startedAt: 0,
    completedAt: 0,
    orphanedAt: null,
    acknowledgedBy: null,
    evidence: [],
    ...overrides,
  };
}

/** What is known of a call that waits for permission. */
export function requestAttention(overrides: Partial<RequestAttention> = {}): RequestAttention {
  return {
    askedBy: 'rule:shell.*',
    surface: 'language_model_tool',
    agent: null,
    alike: [],
    grantable: true,
    definitionChanged: false,
    ...overrides,
  };
}
