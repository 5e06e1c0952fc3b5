import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { ActionRecord } from '../../src/core/action.ts';
import type { ActionIntent } from '../../src/journal/journal.ts';
import { alice, intentOf, register, settlementOf } from '../support/actions.ts';
import { DeadlineStage } from '../support/deadlineStage.ts';
import { EmbeddedHarness } from '../support/embeddedHarness.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
const STALE_AFTER = 2 * MINUTE;
const WINDOW = 30 * SECOND;

/** What may happen to a window whose claims are made, renewed and ended by its own hand. */
type Step =
  | { readonly does: 'start'; readonly staleAfterMs: number }
  | { readonly does: 'complete'; readonly which: number }
  | { readonly does: 'renew' | 'restart' | 'pause' | 'resume' | 'settleNow' | 'heal' }
  | { readonly does: 'fail'; readonly operation: 'listClaims' | 'settleStaleClaim' | 'settleAction' }
  | { readonly does: 'poison'; readonly which: number }
  /** The journal's own disk fails meanwhile, while only the deadlines write. */
  | { readonly does: 'diskFault'; readonly place: string; readonly ms: number }
  | { readonly does: 'elapse' | 'sleep' | 'freeze'; readonly ms: number };

const some = fc.constantFrom(1, 500, SECOND, 29 * SECOND, MINUTE, 3 * MINUTE, HOUR);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('start' as const),
      staleAfterMs: fc.constantFrom(500, 29 * SECOND, STALE_AFTER, 20 * MINUTE),
    }),
  },
  { weight: 7, arbitrary: fc.record({ does: fc.constant('elapse' as const), ms: some }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('complete' as const), which: fc.nat({ max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('poison' as const), which: fc.nat({ max: 9 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom('sleep' as const, 'freeze' as const),
      ms: fc.constantFrom(10 * SECOND, HOUR, 10 * HOUR),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('fail' as const),
      operation: fc.constantFrom(...(['listClaims', 'settleStaleClaim', 'settleAction'] as const)),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom(...(['renew', 'restart', 'pause', 'resume', 'settleNow', 'heal'] as const)),
    }),
  },
);

/** What the play knows of an action, by the journal's clock. */
interface Known {
  readonly intent: ActionIntent;
  dueAt: number;
  /** Its owner is gone or lost its completion: nobody renews it. */
  orphaned: boolean;
  ended: boolean;
}

/** Plays steps on real deadlines over the embedded journal and knows what must hold after each of them. */
class Play {
  readonly #embedded: EmbeddedHarness;
  readonly #actions: Known[] = [];
  readonly #poisoned = new Set<string>();
  readonly #settled = new Map<string, ActionRecord>();
  #window!: DeadlineStage;
  #paused = false;
  /** When something last kept what is due from being settled, on the clock that never jumps. */
  #disturbedAt = 0;
  readonly #failing = new Set<'listClaims' | 'settleStaleClaim' | 'settleAction'>();

  constructor(folder: string) {
    this.#embedded = new EmbeddedHarness(folder);
  }

  async open(): Promise<void> {
    const { journal } = await this.#embedded.open('');
    await register(journal, alice);
    const advance = (ms: number): void => {
      this.#embedded.clock.advance(ms);
    };
    const now = this.#embedded.clock.now();
    this.#window = new DeadlineStage({ journal, advance, now, staleAfterMs: STALE_AFTER });
    this.#window.recorded.failing.set('settleStaleClaim', (claim) =>
      this.#poisoned.has((claim as { actionId: string }).actionId),
    );
    this.#disturbedAt = 0;
    await this.#window.start();
  }

  async take(step: Step): Promise<void> {
    await this.#do(step);
    await this.#window.idle();
    await this.#check();
  }

  /** All obstacles gone and all time passed: everything was settled, and then there is silence. */
  async end(): Promise<void> {
    await this.take({ does: 'heal' });
    await this.take({ does: 'resume' });
    await this.#window.elapse(40 * MINUTE);
    await this.#check();
    const open = this.#actions.filter(({ ended }) => !ended).map(({ intent }) => intent.id);
    assert.deepEqual(open, [], 'starved');
    const { statements } = await this.#counts();
    const calls = this.#window.recorded.calls.length;
    assert.equal(this.#window.clock.armed, 0, 'a timer although nothing is open');
    await this.#window.elapse(HOUR);
    assert.equal(this.#window.recorded.calls.length, calls, 'asked although nothing is open');
    assert.equal((await this.#counts()).statements, statements);
  }

  async dispose(): Promise<void> {
    await this.#window.close();
    assert.equal(this.#window.clock.armed, 0);
    await this.#embedded.closeAll();
  }

  get #now(): number {
    return this.#embedded.clock.now();
  }

  #counts(): Promise<{ readonly statements: number }> {
    return (this.#window.recorded.journal as unknown as { counts(): Promise<{ statements: number }> }).counts();
  }

  async #do(step: Step): Promise<void> {
    const { journal, deadlines, recorded } = this.#window;
    switch (step.does) {
      case 'start': {
        const intent = intentOf({ staleAfterMs: step.staleAfterMs, scope: alice });
        const result = await journal.startAction(intent);
        if (result.kind === 'started') {
          const dueAt = this.#now + step.staleAfterMs;
          this.#actions.push({ intent, dueAt, orphaned: false, ended: false });
        } else {
          // Something is unknown already: a person says that the session may go on.
          await this.#acknowledge();
        }
        return;
      }
      case 'complete': {
        const running = this.#actions.filter(({ ended, orphaned }) => !ended && !orphaned);
        const one = running[step.which % Math.max(1, running.length)];
        if (one !== undefined) {
          const done = await journal.settleAction(settlementOf(one.intent)).catch(() => undefined);
          one.ended = done?.kind === 'settled';
        }
        return;
      }
      case 'renew':
        await recorded.journal.renewClaims(STALE_AFTER);
        for (const one of this.#actions.filter(({ ended, orphaned }) => !ended && !orphaned)) {
          one.dueAt = this.#now + STALE_AFTER;
        }
        return;
      case 'poison': {
        const open = this.#actions.filter(({ ended }) => !ended);
        const one = open[step.which % Math.max(1, open.length)];
        if (one !== undefined) {
          this.#poisoned.add(one.intent.id);
        }
        return;
      }
      case 'fail':
        this.#failing.add(step.operation);
        recorded.failing.set(step.operation, () => true);
        this.#disturb();
        return;
      case 'heal':
        this.#poisoned.clear();
        this.#heal();
        return;
      case 'pause':
        this.#paused = true;
        await deadlines.pause();
        return;
      case 'resume':
        this.#paused = false;
        this.#disturb();
        deadlines.resume();
        return;
      case 'settleNow':
        await deadlines.settleNow();
        return;
      case 'diskFault':
        this.#embedded.arm(`${step.place}=error`);
        await this.#window.elapse(step.ms);
        this.#embedded.disarm();
        this.#disturb();
        return;
      case 'restart':
        this.#heal();
        this.#paused = false;
        await this.#window.close();
        for (const one of this.#actions) {
          one.orphaned = true;
        }
        await this.open();
        return;
      case 'elapse':
        await this.#window.elapse(step.ms);
        return;
      case 'sleep':
        await this.#window.sleep(step.ms);
        this.#disturb();
        return;
      case 'freeze':
        await this.#window.freeze(step.ms);
        this.#disturb();
        return;
    }
  }

  #heal(): void {
    const { failing } = this.#window.recorded;
    for (const operation of this.#failing) {
      failing.delete(operation);
    }
    this.#failing.clear();
    failing.set('settleStaleClaim', (claim) => this.#poisoned.has((claim as { actionId: string }).actionId));
    this.#disturb();
  }

  async #acknowledge(): Promise<void> {
    const { journal } = this.#window;
    const opening = { id: intentOf().id, scope: alice, attended: true, waiting: null };
    const review = await journal.openRecoveryReview(opening);
    if (review.kind === 'opened' || review.kind === 'joined') {
      const { id, revision } = review.decision;
      await journal.answerDecision({ id, revision, answer: 'approved', by: 'alice', from: 'toast', note: null });
    }
  }

  #disturb(): void {
    this.#disturbedAt = this.#window.clock.monotonic();
  }

  async #check(): Promise<void> {
    const { recorded, clock, unknown } = this.#window;
    assert.ok(clock.armed <= 1, `${clock.armed} timers`);
    const told = unknown.flat();
    assert.equal(new Set(told).size, told.length, 'told twice');
    for (const one of this.#actions) {
      const action = await recorded.journal.getAction(one.intent.id);
      assert.ok(action);
      const before = this.#settled.get(action.id);
      if (before !== undefined) {
        assert.deepEqual({ ...action, acknowledgedBy: null }, before, 'an end that changed');
        continue;
      }
      if (action.outcome === 'started') {
        this.#mustNotBeLate(one);
        continue;
      }
      if (action.outcome === 'uncertain') {
        assert.equal(action.reason, 'tool_execution_outcome_unknown');
        assert.ok((action.completedAt ?? 0) >= one.dueAt, 'settled early, or while it was renewed');
        one.ended = true;
      } else {
        assert.ok(one.ended, 'completed by nobody');
      }
      this.#settled.set(action.id, { ...action, acknowledgedBy: null });
    }
  }

  #mustNotBeLate({ intent, dueAt }: Known): void {
    const { clock } = this.#window;
    const calmFor = clock.monotonic() - this.#disturbedAt;
    const held = this.#paused || this.#failing.size > 0 || this.#poisoned.has(intent.id);
    if (!held && calmFor > MINUTE) {
      assert.ok(this.#now - dueAt <= WINDOW + SECOND, `${this.#now - dueAt} ms late`);
    }
  }
}

describe('The deadlines of an embedded journal, whatever happens', () => {
  const folder = useTemporaryFolder();

  it('[C5] [C6] [C7] [C9] [C12] [C16] settle each stale claim once, never early, never one that is renewed, starve none, and are silent when idle', async () => {
    let play = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 25, size: 'max' }), async (script) => {
        play += 1;
        const own = join(folder.path, String(play));
        mkdirSync(own);
        const played = new Play(own);
        await played.open();
        try {
          for (const step of script) {
            await played.take(step);
          }
          await played.end();
        } finally {
          await played.dispose();
        }
      }),
      { numRuns: Number(process.env['HOLDFAST_MODEL_RUNS'] ?? 15) },
    );
  }).timeout(300_000);
});
