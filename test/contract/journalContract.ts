import { carryOverContract } from './carryOverContract.ts';
import { claimContract } from './claimContract.ts';
import { deadlineContract } from './deadlineContract.ts';
import { definitionTrustContract } from './definitionTrustContract.ts';
import { denialContract } from './denialContract.ts';
import { expiryContract } from './expiryContract.ts';
import { exportContract } from './exportContract.ts';
import { grantContract } from './grantContract.ts';
import type { MakeHarness } from './harness.ts';
import { olderRulesContract } from './olderRulesContract.ts';
import { projectionContract } from './projectionContract.ts';
import { readingContract } from './readingContract.ts';
import { removalContract } from './removalContract.ts';
import { repairContract } from './repairContract.ts';
import { retentionContract } from './retentionContract.ts';
import { replayContract } from './replayContract.ts';
import { requestContract } from './requestContract.ts';
import { reviewContract } from './reviewContract.ts';
import { runContract } from './runContract.ts';
import { settleContract } from './settleContract.ts';
import { staleClaimContract } from './staleClaimContract.ts';
import { startContract } from './startContract.ts';
import { verifyContract } from './verifyContract.ts';

/** What every implementation of the journal must do, shown on a real one (J6). */
export function journalContract(name: string, makeHarness: MakeHarness): void {
  describe(`The journal contract on ${name}`, () => {
    startContract(makeHarness);
    repairContract(makeHarness);
    settleContract(makeHarness);
    reviewContract(makeHarness);
    requestContract(makeHarness);
    denialContract(makeHarness);
    grantContract(makeHarness);
    definitionTrustContract(makeHarness);
    claimContract(makeHarness);
    staleClaimContract(makeHarness);
    expiryContract(makeHarness);
    retentionContract(makeHarness);
    removalContract(makeHarness);
    exportContract(makeHarness);
    olderRulesContract(makeHarness);
    deadlineContract(makeHarness);
    projectionContract(makeHarness);
    readingContract(makeHarness);
    runContract(makeHarness);
    replayContract(makeHarness);
    carryOverContract(makeHarness);
    verifyContract(makeHarness);
  });
}
