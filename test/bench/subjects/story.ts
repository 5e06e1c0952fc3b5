import { createHash } from 'node:crypto';
import { newId } from '../../../src/core/ids.ts';
import type { Scope } from '../../../src/core/scope.ts';
import type { ActionIntent, Settlement } from '../../../src/journal/journal.ts';

/** The session that most rows of a seed belong to, as a workspace's one durable session does, and that the bench writes on in. */
export const scope: Scope = { user: 'developer', session: '01890000-0000-7000-8000-000000000001' };

export const tool = { server: 'holdfast', name: 'runCommand' };
export const definitionHash = createHash('sha256').update('runCommand').digest('base64url');
export const hashKeyId = '0123456789abcdef';

/** A command's start. Its arguments are new. */
export function nextIntent(): ActionIntent {
  const id = newId();
  return {
    id,
    scope,
    surface: 'language_model_tool',
    agent: null,
    attended: true,
    tool,
    definitionHash,
    argumentHash: createHash('sha256').update(id).digest('base64url'),
    hashKeyId,
    claimId: newId(),
    staleAfterMs: 600_000,
    allowedBy: 'default:language_model_tool',
    run: null,
    requestId: null,
    parentActionId: null,
    externalCallId: null,
    repairs: [],
  };
}

/** A command's end, with the notes that a finished process leaves. */
export function settlementOf({ id: actionId, claimId }: ActionIntent): Settlement {
  const bootId = '6f1c1b1e-3d0c-4a53-9c0b-0d8a7a1f7b11';
  return {
    actionId,
    claimId,
    verdict: { outcome: 'completed', reason: 'exited' },
    notes: [
      { id: newId(), evidence: { kind: 'process', pid: 4711, startTime: '1234567', bootId } },
      { id: newId(), evidence: { kind: 'exit', code: 0 } },
    ],
  };
}
