import assert from 'node:assert/strict';
import type { CallAnswer } from '../../src/bridge/call.ts';
import type { ToolResult } from '../../src/core/tool.ts';
import type { ActionIntent, Claim } from '../../src/journal/journal.ts';
import { alice, approvedRequest, register, requestOf, settlementOf, start } from '../support/actions.ts';
import { BodyTool, succeeds } from '../support/bodyTool.ts';
import { standingOf, startRequested, TEN_MINUTES } from '../support/claims.ts';
import { DeadlineStage, type DeadlineStageOptions } from '../support/deadlineStage.ts';
import { Deferred } from '../support/deferred.ts';
import { useJournal, type MakeHarness } from './harness.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 24 * 3_600_000];
const UNKNOWN = 'tool_execution_outcome_unknown';

/** A tool whose body runs until the test ends it. */
function longTool(): { readonly tool: BodyTool; readonly began: Promise<void>; readonly end: () => void } {
  const began = new Deferred();
  const ended = new Deferred<ToolResult>();
  const tool = new BodyTool('long', (call) => {
    call.boundaryCrossed();
    began.resolve();
    return ended.promise;
  });
  const end = (): void => {
    ended.resolve({ text: 'done at last', observed: { kind: 'returned' } });
  };
  return { tool, began: began.promise, end };
}

export function deadlineContract(makeHarness: MakeHarness): void {
  describe('its deadlines', () => {
    const stage = useJournal(makeHarness);
    let made: DeadlineStage[] = [];
    beforeEach(() => register(stage().journal, alice));
    afterEach(async () => {
      await Promise.all(made.map((one) => one.close()));
      made = [];
    });

    /** A window on the journal as it is open now. */
    const open = (options: Partial<DeadlineStageOptions> = {}): DeadlineStage => {
      const { journal, harness } = stage();
      const advance = (ms: number): void => {
        harness.advance(ms);
      };
      const opened = new DeadlineStage({ journal, advance, now: harness.now(), ...options });
      made.push(opened);
      return opened;
    };
    const started = async (options: Partial<DeadlineStageOptions> = {}): Promise<DeadlineStage> => {
      const opened = open(options);
      await opened.start();
      return opened;
    };
    /** The window goes, with all that it runs, and another one opens the same journal. */
    const restart = async (options: Partial<DeadlineStageOptions> = {}): Promise<DeadlineStage> => {
      stage().journal = await stage().harness.reopen();
      return open(options);
    };
    const outcomeOf = async ({ id }: ActionIntent): Promise<string | undefined> =>
      (await stage().journal.getAction(id))?.outcome;

    it('[C1] [P13] are looked up at the start; then there is no timer and no operation, however much has ended', async () => {
      for (let count = 0; count < 20; count += 1) {
        await stage().journal.settleAction(settlementOf(await start(stage().journal)));
      }
      const window = await started();
      const looks = ['listClaims', 'listExpiringDecisions', 'prune', 'prune', 'prune'];
      assert.deepEqual([...window.recorded.calls].sort(), looks);
      assert.equal(window.clock.armed, 0);
      await window.elapse(HOUR);
      assert.equal(window.recorded.calls.length, looks.length);
    });

    it('[C1] are armed by the start of a call, through the bridge, and gone with its end', async () => {
      const { tool, began, end } = longTool();
      const window = await started({ tools: [tool] });
      const answer = window.world.call('long');
      await began;
      await window.elapse(MINUTE);
      const { awake } = window.deadlines.diagnostics();
      assert.deepEqual([awake?.because, awake?.duty], ['deadline', 'interrupted claims']);
      end();
      assert.equal((await answer).outcome, 'completed');
      await window.elapse(MINUTE);
      assert.equal(window.deadlines.diagnostics().awake, null);
      assert.equal(window.clock.armed, 0);
      const calls = window.recorded.calls.length;
      await window.elapse(HOUR);
      assert.equal(window.recorded.calls.length, calls);
    });

    it('[C2] settle what was left at its deadline and not before; until then it is only orphaned', async () => {
      const left = await startRequested(stage().journal);
      const before = await stage().journal.getAction(left.id);
      stage().harness.advance(MINUTE);
      const window = await restart();
      await window.start();
      await window.elapse(TEN_MINUTES - MINUTE - 1);
      const { orphanedAt, ...rest } = (await stage().journal.getAction(left.id))!;
      assert.notEqual(orphanedAt, null);
      assert.deepEqual({ ...rest, orphanedAt: null }, before);
      assert.deepEqual(await standingOf(stage().journal, left), ['started', null, 'executing', null]);
      await window.elapse(1);
      assert.deepEqual(await standingOf(stage().journal, left), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
      assert.deepEqual(window.unknown, [[left.id]]);
    });

    it('[C2] [C3] settle in the startup pass what fell due while nobody looked, and call no tool', async () => {
      const left = await startRequested(stage().journal);
      const tool = new BodyTool('run', succeeds);
      stage().harness.advance(HOUR);
      const window = await restart({ tools: [tool] });
      assert.equal(await outcomeOf(left), 'started');
      await window.start();
      assert.deepEqual(await standingOf(stage().journal, left), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
      assert.equal(window.deadlines.diagnostics().scans.startup, 1);
      assert.equal(tool.ran, 0);
    });

    it('[C5] leave a claim alone that is renewed between the scan and its settlement', async () => {
      const { journal, harness } = stage();
      const running = await startRequested(journal);
      harness.advance(TEN_MINUTES);
      const window = open();
      window.recorded.beforeAnswer = async () => {
        // The first list only says when; the second one is what the pass goes by.
        if (window.recorded.count('listClaims') === 2) {
          window.recorded.beforeAnswer = () => {};
          await journal.renewClaims(TEN_MINUTES);
        }
      };
      await window.start();
      assert.equal(window.recorded.count('settleStaleClaim'), 1);
      assert.deepEqual(window.unknown, []);
      assert.deepEqual(await standingOf(journal, running), ['started', null, 'executing', null]);
    });

    it('[C6] try a settlement that failed once more after 30 s, and nothing is half done meanwhile', async () => {
      const { journal, harness } = stage();
      const left = await startRequested(journal);
      const window = await started();
      harness.arm('settleStale.beforeRequest=error');
      await window.elapse(TEN_MINUTES + 29 * SECOND);
      assert.deepEqual(await standingOf(journal, left), ['started', null, 'executing', null]);
      assert.equal(window.recorded.count('settleStaleClaim'), 1);
      harness.arm('');
      await window.elapse(SECOND);
      assert.deepEqual(await standingOf(journal, left), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
      assert.equal(window.recorded.count('settleStaleClaim'), 2);
    });

    it('[C7] keep, while they are paused, a claim that falls due and one whose settlement failed', async () => {
      const { journal } = stage();
      const failing = await start(journal, { staleAfterMs: MINUTE });
      const later = await start(journal, { staleAfterMs: 2 * MINUTE });
      const window = await started();
      window.recorded.failing.set('settleStaleClaim', () => true);
      await window.elapse(MINUTE);
      await window.deadlines.pause();
      window.recorded.failing.clear();
      const calls = window.recorded.calls.length;
      await window.elapse(HOUR);
      assert.equal(window.recorded.calls.length, calls);
      window.deadlines.resume();
      await window.idle();
      assert.deepEqual([await outcomeOf(failing), await outcomeOf(later)], ['uncertain', 'uncertain']);
    });

    it('[C8] [C10] [P13] cost ten calls in a row one follow-up at most, and then there is an hour of silence', async () => {
      const window = await started({ tools: [new BodyTool('run', succeeds)] });
      for (let count = 0; count < 10; count += 1) {
        assert.equal((await window.world.call('run')).outcome, 'completed');
        await window.elapse(SECOND);
      }
      await window.elapse(MINUTE);
      const { scans } = window.deadlines.diagnostics();
      assert.deepEqual([scans.startup, scans.signal, scans.deadline], [1, 1, 0]);
      const calls = window.recorded.calls.length;
      await window.elapse(HOUR);
      assert.deepEqual([window.recorded.calls.length, window.clock.armed], [calls, 0]);
    });

    it('[C8] settle a claim that is due in 500 ms then, and their own writes cause one more scan at most', async () => {
      const window = await started();
      const left = await start(window.journal, { staleAfterMs: 500 });
      await window.elapse(499);
      assert.equal(await outcomeOf(left), 'started');
      const scans = window.scans;
      await window.elapse(1);
      assert.equal(await outcomeOf(left), 'uncertain');
      await window.elapse(MINUTE);
      assert.ok(window.scans - scans <= 2, `${window.scans - scans} scans`);
      const calls = window.recorded.calls.length;
      await window.elapse(HOUR);
      assert.deepEqual([window.recorded.calls.length, window.clock.armed], [calls, 0]);
    });

    it('[C9] drain several pages in the order of their deadlines, past rows that always fail, and keep no other duty waiting', async () => {
      const { journal } = stage();
      const intents = await Promise.all(
        Array.from({ length: 250 }, (_, index) => start(journal, { staleAfterMs: 1000 + ((index * 7919) % 250) })),
      );
      const request = await journal.openRequest(requestOf({ expiresInMs: 1500 }));
      const bad = new Set([intents[0]!.id, intents[100]!.id]);
      const window = open();
      window.recorded.failing.set('settleStaleClaim', (claim) => bad.has((claim as Claim).actionId));
      const order: string[] = [];
      stage().harness.advance(2000);
      await window.start();
      order.push(...window.unknown.flat());
      const inOrder = [...intents].sort((a, b) => a.staleAfterMs - b.staleAfterMs).map(({ id }) => id);
      assert.deepEqual(
        order,
        inOrder.filter((id) => !bad.has(id)),
      );
      assert.equal((await journal.getDecision(request.id))?.state, 'expired');
      await window.elapse(HOUR);
      const tries = window.recorded.count('settleStaleClaim') - 250;
      assert.ok(tries > 4 && tries < 60, `${tries} more tries of two bad rows in an hour`);
      window.recorded.failing.clear();
      await window.elapse(5 * MINUTE);
      assert.deepEqual(new Set(window.unknown.flat()), new Set(inOrder));
    });

    it('[C10] scan once more, and no oftener, for all that was written during a pass', async () => {
      const { journal } = stage();
      await start(journal, { staleAfterMs: 1000 });
      const window = await started();
      window.recorded.beforeAnswer = async (name) => {
        if (name === 'settleStaleClaim') {
          window.recorded.beforeAnswer = () => {};
          for (let count = 0; count < 5; count += 1) {
            await window.journal.settleAction(settlementOf(await start(window.journal)));
          }
        }
      };
      await window.elapse(1000);
      const scans = window.scans;
      await window.elapse(HOUR);
      assert.equal(window.scans, scans + 1);
    });

    it('[C11] hear of a commit, not of what is refused; a change that moves no deadline costs one empty pass', async () => {
      const window = await started();
      const scans = window.scans;
      const unregistered = { scope: { user: 'alice', session: 'never registered' } };
      await assert.rejects(start(window.journal, unregistered));
      await window.journal.cancelDecision('no such decision', 'caller_gone');
      assert.equal(window.clock.armed, 0, 'nothing was written');
      await window.elapse(HOUR);
      assert.equal(window.scans, scans);
      const unused = await approvedRequest(stage().journal);
      await window.journal.cancelDecision(unused, 'caller_gone');
      assert.equal(window.clock.armed, 1);
      await window.elapse(HOUR);
      assert.deepEqual([window.scans, window.clock.armed], [scans + 1, 0]);
    });

    it('[C12] leave alone what its owner runs, for however long, and over a sleep of the computer', async () => {
      const { tool, began, end } = longTool();
      const window = await started({ tools: [tool] });
      const answer = window.world.call('long');
      await began;
      await window.elapse(35 * MINUTE);
      await window.sleep(8 * HOUR);
      await window.elapse(35 * MINUTE);
      await window.freeze(8 * HOUR);
      await window.elapse(MINUTE);
      assert.equal(window.recorded.count('settleStaleClaim'), 0);
      end();
      const { outcome, unresolved } = await answer;
      assert.deepEqual([outcome, unresolved], ['completed', false]);
      await window.elapse(MINUTE);
      assert.equal(window.clock.armed, 0);
    });

    it('[C12] renew all that runs in one operation, and nothing when nothing runs', async () => {
      const tools = [longTool(), longTool(), longTool()];
      const window = await started({ tools: tools.map(({ tool }) => tool) });
      const named = tools.map(({ tool }, index) => Object.assign(tool.identity, { name: `long ${index}` }));
      const answers = named.map(({ name }) => window.world.call(name));
      await Promise.all(tools.map(({ began }) => began));
      const period = Math.min(TEN_MINUTES, window.journal.leaseMs ?? TEN_MINUTES) / 3;
      await window.elapse(period);
      assert.equal(window.recorded.count('renewClaims'), 1);
      tools.forEach(({ end }) => {
        end();
      });
      await Promise.all(answers);
      await window.elapse(HOUR);
      assert.equal(window.recorded.count('renewClaims'), 1);
    });

    it('[C12] [C13] settle what is renewed no more, and tell its late answer the truth', async () => {
      const { tool, began, end } = longTool();
      const window = await started({ tools: [tool] });
      const answer = window.world.call('long');
      await began;
      window.recorded.failing.set('renewClaims', () => true);
      await window.elapse(TEN_MINUTES);
      const [actionId] = window.unknown.flat();
      assert.ok(actionId, 'settled');
      end();
      const late: CallAnswer = await answer;
      assert.match(late.text, /^done at last\n\nThe answer above came late: .*outcome unknown/);
      assert.deepEqual([late.actionId, late.unresolved], [actionId, true]);
      const action = await stage().journal.getAction(actionId);
      assert.deepEqual([action?.outcome, action?.reason], ['uncertain', UNKNOWN]);
      assert.deepEqual(
        action?.evidence.map(({ evidence }) => evidence),
        [{ kind: 'late_result', outcome: 'completed' }],
      );
    });

    it('[C14] end a request that nobody answered at its expiry: its call is told so and does not run', async () => {
      const tool = new BodyTool('run', succeeds);
      const window = await started({ tools: [tool] });
      window.world.rules = { 'test.run': 'ask' };
      const answer = window.world.call('run');
      const { decision } = await window.world.raised();
      await window.elapse(HOUR - 1);
      assert.equal((await stage().journal.getDecision(decision.id))?.state, 'open');
      await window.elapse(1);
      const { outcome, reason } = await answer;
      assert.deepEqual([outcome, reason, tool.ran], ['not_executed', 'request_ended', 0]);
      assert.equal((await stage().journal.getDecision(decision.id))?.state, 'expired');
      await window.elapse(MINUTE);
      assert.equal(window.clock.armed, 0);
    });

    it('[C16] settle once what fell due while the computer slept', async () => {
      const left = await start(stage().journal);
      const window = await started();
      await window.sleep(10 * HOUR);
      await window.elapse(MINUTE);
      assert.deepEqual(window.unknown, [[left.id]]);
      assert.equal(window.deadlines.diagnostics().scans.wake, 1);
      assert.equal(window.recorded.count('settleStaleClaim'), 1);
    });

    it('[C17] are looked at once at the start when they are switched off, and whenever a person asks', async () => {
      const { journal, harness } = stage();
      const overdue = await start(journal, { staleAfterMs: SECOND });
      const later = await start(journal, { staleAfterMs: HOUR });
      harness.advance(MINUTE);
      const window = await started({ on: false });
      assert.equal(await outcomeOf(overdue), 'uncertain');
      await window.elapse(2 * HOUR);
      assert.deepEqual([window.scans, window.clock.armed, await outcomeOf(later)], [1, 0, 'started']);
      assert.deepEqual(await window.deadlines.settleNow(), { unknown: 1, ended: 0, removed: 0, failed: false });
      assert.equal(await outcomeOf(later), 'uncertain');
      assert.deepEqual(await window.deadlines.settleNow(), { unknown: 0, ended: 0, removed: 0, failed: false });
    });

    it('[C17] end with the journal: a pass in flight is waited for, and no timer is left', async () => {
      const { journal } = stage();
      await start(journal, { staleAfterMs: 1000 });
      await start(journal, { staleAfterMs: HOUR });
      const window = await started();
      const reached = new Deferred();
      let closing: Promise<void> | undefined;
      window.recorded.beforeAnswer = (name) => {
        if (name === 'settleStaleClaim') {
          closing = window.journal.close();
          reached.resolve();
        }
      };
      await window.elapse(1000);
      await reached.promise;
      await closing;
      assert.deepEqual([window.deadlines.diagnostics().state, window.clock.armed], ['disposed', 0]);
      const calls = window.recorded.calls.length;
      await window.elapse(2 * HOUR);
      assert.equal(window.recorded.calls.length, calls);
    });

    it('[P13] [P15] remove old records at the start and after settlements, and at no other time', async () => {
      const { journal, harness } = stage();
      const [old, unknown] = [await start(journal), await start(journal, { staleAfterMs: 91 * DAY + 6 * HOUR })];
      await journal.settleAction(settlementOf(old));
      harness.advance(91 * DAY);
      const window = await started();
      assert.equal(await outcomeOf(old), undefined);
      const prunes = window.recorded.count('prune');
      for (let count = 0; count < 3; count += 1) {
        await window.journal.settleAction(settlementOf(await start(window.journal)));
        await window.elapse(MINUTE);
      }
      await window.sleep(HOUR);
      await window.elapse(HOUR);
      assert.equal(window.recorded.count('prune'), prunes);
      await window.elapse(6 * HOUR);
      assert.equal(await outcomeOf(unknown), 'uncertain');
      assert.ok(window.recorded.count('prune') > prunes);
    });
  });
}
