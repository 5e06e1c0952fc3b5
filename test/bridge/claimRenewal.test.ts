import assert from 'node:assert/strict';
import { ClaimRenewal } from '../../src/bridge/claimRenewal.ts';
import { silentLog } from '../../src/core/log.ts';
import { ManualClock } from '../support/manualClock.ts';

const MINUTE = 60_000;

describe('ClaimRenewal', () => {
  let clock: ManualClock;
  let renewedAt: number[];
  let fails: boolean;
  beforeEach(() => {
    clock = new ManualClock();
    renewedAt = [];
    fails = false;
  });

  function make(staleAfterMs: () => number, leaseMs?: number): ClaimRenewal {
    const renewClaims = (): Promise<number> => {
      renewedAt.push(clock.monotonic());
      return fails ? Promise.reject(new Error('no connection')) : Promise.resolve(1);
    };
    const journal = leaseMs === undefined ? { renewClaims } : { renewClaims, leaseMs };
    return new ClaimRenewal({ journal, staleAfterMs, clock, log: silentLog });
  }

  async function elapse(ms: number): Promise<void> {
    for (let end = clock.monotonic() + ms; clock.monotonic() < end;) {
      clock.advance(Math.min(clock.nextTimerIn ?? Infinity, end - clock.monotonic()));
      await new Promise(setImmediate);
    }
  }

  it('[C12] renews three times in the life of a claim, while anything runs', async () => {
    const renewal = make(() => 9 * MINUTE);
    const [one, other] = [renewal.begin(9 * MINUTE), renewal.begin(9 * MINUTE)];
    assert.equal(clock.armed, 1);
    one.dispose();
    await elapse(9 * MINUTE);
    assert.deepEqual(renewedAt, [3 * MINUTE, 6 * MINUTE, 9 * MINUTE]);
    other.dispose();
    assert.equal(clock.armed, 0);
  });

  it('[P13] holds no timer and writes nothing when nothing runs', async () => {
    const renewal = make(() => 9 * MINUTE);
    await renewal.renew();
    renewal.begin(9 * MINUTE).dispose();
    assert.equal(clock.armed, 0);
    await elapse(60 * MINUTE);
    assert.deepEqual(renewedAt, []);
  });

  it('[P16] is heard of well within the lease of a journal of many owners', async () => {
    const running = make(() => 9 * MINUTE, 45_000).begin(9 * MINUTE);
    await elapse(45_000);
    assert.deepEqual(renewedAt, [15_000, 30_000, 45_000]);
    running.dispose();
  });

  it('[C12] tries again soon when a renewal failed', async () => {
    const running = make(() => 12 * MINUTE).begin(12 * MINUTE);
    fails = true;
    await elapse(6 * MINUTE);
    fails = false;
    await elapse(6 * MINUTE);
    assert.deepEqual(
      renewedAt.map((at) => at / MINUTE),
      [4, 5, 6, 7, 11],
    );
    running.dispose();
  });

  it('[C12] renews in time for a claim that was made to last shorter than those before it', async () => {
    let staleAfterMs = 12 * MINUTE;
    const renewal = make(() => staleAfterMs);
    const long = renewal.begin(staleAfterMs);
    staleAfterMs = 3 * MINUTE;
    const short = renewal.begin(staleAfterMs);
    await elapse(3 * MINUTE);
    assert.deepEqual(
      renewedAt.map((at) => at / MINUTE),
      [1, 2, 3],
    );
    long.dispose();
    short.dispose();
  });

  it('[C12] renews at once when it is asked to, and not twice for that', async () => {
    const renewal = make(() => 9 * MINUTE);
    const running = renewal.begin(9 * MINUTE);
    await elapse(2 * MINUTE);
    await renewal.renew();
    await elapse(3 * MINUTE);
    assert.deepEqual(
      renewedAt.map((at) => at / MINUTE),
      [2, 5],
    );
    running.dispose();
  });
});
