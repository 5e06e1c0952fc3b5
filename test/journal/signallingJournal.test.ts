import assert from 'node:assert/strict';
import { HoldfastError } from '../../src/core/errors.ts';
import { text } from '../../src/core/messages.ts';
import type { Journal, StartResult } from '../../src/journal/journal.ts';
import { signalling, type JournalSignal } from '../../src/journal/signallingJournal.ts';
import { intentOf, neverRan, requestOf } from '../support/actions.ts';

/** A journal of which each operation answers what a test wants. */
function answering(answers: Partial<Record<keyof Journal, unknown>>): Journal {
  return new Proxy({} as Journal, {
    get: (_, name) =>
      name in answers
        ? () => {
            const answer = answers[name as keyof Journal];
            return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
          }
        : undefined,
  });
}

describe('A signalling journal', () => {
  let heard: JournalSignal[];
  beforeEach(() => {
    heard = [];
  });
  const listen = (answers: Partial<Record<keyof Journal, unknown>>, from: string | null = null): Journal =>
    signalling(answering(answers), (signal) => heard.push(signal), from);

  const started: StartResult = { kind: 'started', startedAt: 0, identicalCompletedAt: null };

  it('[C11] tells of a start, and when its claim is stale, before its caller goes on', async () => {
    const journal = listen({ startAction: started });
    const seen = await journal.startAction(intentOf({ staleAfterMs: 5000 })).then(() => heard.length);
    assert.deepEqual(heard, [{ topic: 'claims', dueInMs: 5000, from: null }]);
    assert.equal(seen, 1);
  });

  it('[C11] tells of no start that was gated, but of the repairs that it carried', async () => {
    const journal = listen({ startAction: { kind: 'gated', count: 1 } });
    await journal.startAction(intentOf());
    assert.deepEqual(heard, []);
    await journal.startAction(intentOf({ repairs: [neverRan(intentOf())] }));
    assert.deepEqual(
      heard.map(({ topic }) => topic),
      ['claims', 'decisions'],
    );
  });

  it('[C11] tells of nothing that was refused; a write of which nobody knows counts as written', async () => {
    const refused = new HoldfastError('internal', text('journal.closed'));
    await assert.rejects(listen({ startAction: refused }).startAction(intentOf()));
    assert.deepEqual(heard, []);
    const unknown = new HoldfastError('journal_unavailable', text('journal.closed'));
    await assert.rejects(listen({ startAction: unknown }).startAction(intentOf({ staleAfterMs: 5000 })));
    assert.deepEqual(heard, [{ topic: 'claims', dueInMs: 5000, from: null }]);
  });

  it('[C10] tells who wrote it, when a request expires, and of every settlement', async () => {
    const journal = listen({ openRequest: {}, settleStaleClaim: { kind: 'settled', completedAt: 0 } }, 'a duty');
    await journal.openRequest(requestOf({ expiresInMs: 7000 }));
    assert.deepEqual(heard, [{ topic: 'decisions', dueInMs: 7000, from: 'a duty' }]);
    const claim = { actionId: 'a', claimId: 'c', renewedAt: 0, dueAt: 0, dueInMs: 0 };
    await journal.settleStaleClaim(claim);
    assert.deepEqual(
      heard.slice(1).map(({ topic }) => topic),
      ['claims', 'decisions', 'settlements'],
    );
    heard = [];
    await listen({ settleStaleClaim: { kind: 'left_alone' } }).settleStaleClaim(claim);
    assert.deepEqual(heard, []);
  });

  it('[C10] tells of no renewal and of no read', async () => {
    const journal = listen({ renewClaims: 3, listClaims: [], getAction: undefined, summarize: {} });
    await journal.renewClaims(1000);
    await journal.listClaims({ limit: 1 });
    await journal.getAction('a');
    await journal.summarize('alice');
    assert.deepEqual(heard, []);
  });

  it('[P1] calls the journal in the turn in which it is called, so that what belongs together is written together', () => {
    const called: string[] = [];
    const inner = { appendEvidence: (id: string) => Promise.resolve(void called.push(id)) } as unknown as Journal;
    const journal = signalling(inner, () => {}, null);
    const both = [journal.appendEvidence('one', []), journal.appendEvidence('two', [])];
    assert.deepEqual(called, ['one', 'two']);
    return Promise.all(both);
  });
});
