import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import type { Scope } from '../../src/core/scope.ts';
import type { Journal } from '../../src/journal/journal.ts';
import {
  answerOf,
  approvedRequest,
  intentOf,
  makeUnresolved,
  openReview,
  orphaned,
  register,
  requestOf,
  settlementOf,
  start,
  timedOut,
} from '../support/actions.ts';
import { usePostgresWorlds } from '../support/postgresWorld.ts';

/**
 * Each operation that writes, by its function in the database: prepares what it needs, and gives the operation itself and what it left
 * behind to look at.
 */
type Operation = (journal: Journal, scope: Scope) => Promise<() => Promise<unknown>>;

const operations: Readonly<Record<string, Operation>> = {
  register_session: (journal, scope) =>
    Promise.resolve(() => journal.registerSession({ scope, surface: 'manual', ageMs: 0 })),
  start_action: async (journal, scope) => {
    const requestId = await approvedRequest(journal, { scope });
    const intent = intentOf({ scope, requestId });
    return async () => [await journal.startAction(intent), await journal.getDecision(requestId)];
  },
  repair: async (journal, scope) => {
    const intent = await start(journal, { scope });
    return async () => {
      await journal.repair([orphaned(intent)]);
      return journal.getAction(intent.id);
    };
  },
  settle_action: async (journal, scope) => {
    const intent = await start(journal, { scope, requestId: await approvedRequest(journal, { scope }) });
    const settlement = {
      ...settlementOf(intent, timedOut),
      notes: [{ id: newId(), evidence: { kind: 'exit', code: 1 } as const }],
    };
    return async () => [await journal.settleAction(settlement), await journal.getAction(intent.id)];
  },
  append_evidence: async (journal, scope) => {
    const intent = await start(journal, { scope });
    const note = { id: newId(), evidence: { kind: 'exit', code: 1 } as const };
    return async () => {
      await journal.appendEvidence(intent.id, [note]);
      return journal.getAction(intent.id);
    };
  },
  open_recovery_review: async (journal, scope) => {
    await makeUnresolved(journal, 2, scope);
    const opening = { id: newId(), scope, attended: true, waiting: null };
    return () => journal.openRecoveryReview(opening);
  },
  open_request: (journal, scope) => {
    const request = requestOf({ scope });
    return Promise.resolve(() => journal.openRequest(request));
  },
  answer_decision: async (journal, scope) => {
    await makeUnresolved(journal, 2, scope);
    const review = await openReview(journal, scope);
    return async () => [
      await journal.answerDecision(answerOf(review, { note: 'looked' })),
      (await journal.summarize(scope.user)).unresolved,
    ];
  },
  cancel_decision: async (journal, scope) => {
    const { id } = await journal.openRequest(requestOf({ scope }));
    return () => journal.cancelDecision(id, 'caller_gone');
  },
  expire_decision: async (journal, scope) => {
    const { id } = await journal.openRequest(requestOf({ scope, expiresInMs: 0 }));
    return () => journal.expireDecision(id);
  },
  settle_stale_claim: async (journal, scope) => {
    const intent = await start(journal, { scope, staleAfterMs: 0 });
    const claim = (await journal.listClaims({ limit: 50 })).find(({ actionId }) => actionId === intent.id);
    assert.ok(claim !== undefined);
    return async () => [await journal.settleStaleClaim(claim), await journal.getAction(intent.id)];
  },
  renew_claims: async (journal, scope) => {
    const intent = await start(journal, { scope });
    return async () => [await journal.renewClaims(600_000), await journal.settleAction(settlementOf(intent))];
  },
  take_over: (journal) => Promise.resolve(() => journal.takeOver()),
};

/** Ids and times differ from one attempt to the next. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value ?? null)
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    .replace(/"session":"[^"]+"/g, '"session":"session"')
    .replace(/\b\d{13}\b/g, '"time"')
    .replace(/"(dueInMs|expiresInMs)":-?\d+/g, '"$1":"time"');
  return JSON.parse(text);
}

describe('An operation whose connection is lost', () => {
  const worlds = usePostgresWorlds();

  for (const [name, operation] of Object.entries(operations)) {
    for (const point of ['before', 'answered'] as const) {
      const where = point === 'before' ? 'before the server gets it' : 'between COMMIT and its reply';
      it(`[J6] ${where}: ${name} answers as if nothing had been, and has done its work once`, async () => {
        const { journal } = await worlds.openJournal();
        const scopes = ['undisturbed', 'disturbed'].map((session) => ({ user: journal.user, session }));
        const results: unknown[] = [];
        for (const scope of scopes) {
          await register(journal, scope);
          const perform = await operation(journal, scope);
          const cut =
            scope.session === 'disturbed'
              ? worlds.ground.proxy.cutAt(point, new RegExp(`holdfast\\.${name}\\(`))
              : Promise.resolve();
          results.push(comparable(await perform()));
          await cut;
          await worlds.query('TRUNCATE holdfast.tool_actions, holdfast.decisions CASCADE');
        }
        assert.deepEqual(results[1], results[0]);
      });
    }
  }
});
