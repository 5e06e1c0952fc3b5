import { writeSync } from 'node:fs';
import { systemClock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { failpointsFrom } from '../../src/journal/failpoints.ts';
import type { ActionIntent, Journal } from '../../src/journal/journal.ts';
import { openEmbeddedJournal } from '../../src/journal/sqlite/embeddedJournal.ts';
import { JournalMarker } from '../../src/journal/sqlite/marker.ts';

/**
 * A window's life until it is killed: groups of starts, settlements and reviews, without end. Says each acknowledged write
 * with one line, written by one system call, so that what the parent read was acknowledged.
 *
 * Arguments: journal folder, marker file, worker file, wasm file.
 */
const [folder, markerFile, workerFile, wasmFile] = process.argv.slice(2) as [string, string, string, string];

const say = (...words: string[]): void => {
  writeSync(1, `${words.join(' ')}\n`);
};

const { journal } = await openEmbeddedJournal({
  folder,
  marker: new JournalMarker(markerFile, systemClock, silentLog),
  workerFile,
  wasmFile,
  clock: systemClock,
  log: silentLog,
  user: 'tester',
  waitForOwnerMs: 0,
  failpoints: failpointsFrom(process.env['HOLDFAST_FAILPOINTS']),
});
say('opened');
// Killed predecessors left their sessions gated, so each life has one of its own.
const session = newId();
for (let turn = 0; ; turn++) {
  await group(journal, 1 + Math.floor(Math.random() * 12));
  if (turn % 4 === 3) {
    await review(journal);
  }
}

async function group(target: Journal, size: number): Promise<void> {
  const scope = { user: 'tester', session };
  await target.registerSession({ scope, surface: 'manual', ageMs: 0 });
  const intents = Array.from({ length: size }, () => intentOf(scope));
  await Promise.all(
    intents.map(async (intent) => {
      await target.startAction(intent);
      say('started', intent.id);
    }),
  );
  await Promise.all(
    intents.map(async ({ id: actionId, claimId }) => {
      const notes = [{ id: newId(), evidence: { kind: 'exit', code: 0 } as const }];
      const verdict = { outcome: 'completed', reason: 'exited' } as const;
      await target.settleAction({ actionId, claimId, verdict, notes });
      say('settled', actionId);
    }),
  );
}

async function review(target: Journal): Promise<void> {
  const scope = { user: 'tester', session: newId() };
  await target.registerSession({ scope, surface: 'manual', ageMs: 0 });
  const { id: actionId, claimId } = intentOf(scope);
  await target.startAction({ ...intentOf(scope), id: actionId, claimId });
  await target.settleAction({ actionId, claimId, verdict: { outcome: 'uncertain', reason: 'timed_out' }, notes: [] });
  say('unknown', actionId);
  const id = newId();
  await target.openRecoveryReview({ id, scope, attended: true, waiting: null });
  await target.answerDecision({ id, revision: 1, answer: 'approved', by: 'tester', from: 'toast', note: null });
  say('acknowledged', actionId);
}

function intentOf(scope: ActionIntent['scope']): ActionIntent {
  return {
    id: newId(),
    scope,
    surface: 'manual',
    agent: null,
    attended: true,
    tool: { server: 'shell', name: 'run' },
    definitionHash: 'definition-1',
    argumentHash: newId(),
    hashKeyId: 'key-1',
    claimId: newId(),
    staleAfterMs: 600_000,
    allowedBy: 'rule',
    run: null,
    requestId: null,
    parentActionId: null,
    externalCallId: null,
    repairs: [],
  };
}
