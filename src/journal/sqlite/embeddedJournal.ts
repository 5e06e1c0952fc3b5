import { HoldfastError, codeOf, messageOf } from '../../core/errors.ts';
import { text } from '../../core/messages.ts';
import type { Failpoints } from '../failpoints.ts';
import type { Journal } from '../journal.ts';
import { makeFolderDurably } from './durableFile.ts';
import { journalDamaged, journalUnavailable } from './faults.ts';
import { JournalClient } from './journalClient.ts';
import { Opening, type OpeningOptions, type OpeningReport } from './opening.ts';
import { acquireOwnerLock, type OwnerLock } from './ownerLock.ts';
import type { WorkerCounts } from './protocol.ts';
import { noteDamage } from './setAside.ts';

export interface EmbeddedJournalOptions extends OpeningOptions {
  /** How long to wait for another owner, in milliseconds: a reloading window overlaps its old host by seconds. */
  readonly waitForOwnerMs: number;
  readonly failpoints: Failpoints;
  /** Gives up waiting for another owner. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedJournal extends Journal {
  /** What went over the disk since the worker was started. */
  counts(): Promise<WorkerCounts>;
}

/**
 * Opens the journal in a folder: becomes its owner, brings it up to date, and starts its worker.
 *
 * @throws HoldfastError `journal_in_use` (another live owner, P16), `journal_newer` (P15), or `journal_unavailable`.
 */
export async function openEmbeddedJournal(
  options: EmbeddedJournalOptions,
): Promise<{ readonly journal: EmbeddedJournal; readonly report: OpeningReport }> {
  const lock = await becomeOwner(options);
  try {
    options.failpoints.hit('open.afterLock');
    const opening = new Opening(options);
    let journalId = '';
    const client = new JournalClient({
      clock: options.clock,
      reopen: async (listener) => {
        requireLock(lock);
        return opening.reopen(journalId, listener);
      },
      raiseMarker: async () => {
        options.failpoints.hit('marker.beforeRaise');
        await options.marker.raise(journalId);
      },
      workerEnded: ({ error, damaged }) => {
        options.log.error('journal worker ended', { code: codeOf(error), damaged });
        if (!damaged) {
          return undefined;
        }
        noteDamage(options.folder);
        return journalDamaged(error);
      },
    });
    const { worker, report } = await opening.open(client.listener);
    journalId = report.journalId;
    client.attach(worker);
    return { journal: new OpenJournal(client, options, lock), report };
  } catch (error) {
    lock.release();
    throw HoldfastError.is(error) ? error : journalUnavailable(error);
  }
}

async function becomeOwner(options: EmbeddedJournalOptions): Promise<OwnerLock> {
  const { folder, clock, log, waitForOwnerMs, signal } = options;
  try {
    await makeFolderDurably(folder);
    return await acquireOwnerLock(folder, {
      clock,
      log,
      waitMs: waitForOwnerMs,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    throw HoldfastError.is(error) || signal?.aborted === true ? error : journalUnavailable(error);
  }
}

/** A folder that was moved away and made anew may have another owner by now. */
function requireLock(lock: OwnerLock): void {
  if (!lock.isHeld()) {
    throw new HoldfastError('journal_unavailable', text('journal.lockGone'));
  }
}

class OpenJournal implements EmbeddedJournal {
  readonly #client: JournalClient;
  readonly #options: EmbeddedJournalOptions;
  readonly #lock: OwnerLock;
  #closing: Promise<void> | undefined;

  constructor(client: JournalClient, options: EmbeddedJournalOptions, lock: OwnerLock) {
    this.#client = client;
    this.#options = options;
    this.#lock = lock;
  }

  registerSession: Journal['registerSession'] = (registration) => this.#client.call('registerSession', registration);
  startAction: Journal['startAction'] = (intent) => this.#client.call('startAction', intent);
  repair: Journal['repair'] = (repairs) => this.#client.call('repair', repairs);
  settleAction: Journal['settleAction'] = (settlement) => this.#client.call('settleAction', settlement);
  appendEvidence: Journal['appendEvidence'] = (id, notes) => this.#client.call('appendEvidence', id, notes);
  openRecoveryReview: Journal['openRecoveryReview'] = (opening) => this.#client.call('openRecoveryReview', opening);
  openReplayReview: Journal['openReplayReview'] = (opening) => this.#client.call('openReplayReview', opening);
  listNamedActions: Journal['listNamedActions'] = (query) => this.#client.call('listNamedActions', query);
  openQuestion: Journal['openQuestion'] = (opening) => this.#client.call('openQuestion', opening);
  releaseRun: Journal['releaseRun'] = (user, runId) => this.#client.call('releaseRun', user, runId);
  openRequest: Journal['openRequest'] = (opening) => this.#client.call('openRequest', opening);
  recordDenial: Journal['recordDenial'] = (denial) => this.#client.call('recordDenial', denial);
  reopenDenial: Journal['reopenDenial'] = (id) => this.#client.call('reopenDenial', id);
  answerDecision: Journal['answerDecision'] = (answer) => this.#client.call('answerDecision', answer);
  cancelDecision: Journal['cancelDecision'] = (id, reason) => this.#client.call('cancelDecision', id, reason);
  renewClaims: Journal['renewClaims'] = (staleAfterMs) => this.#client.call('renewClaims', staleAfterMs);
  listClaims: Journal['listClaims'] = (query) => this.#client.call('listClaims', query);
  settleStaleClaim: Journal['settleStaleClaim'] = (claim) => this.#client.call('settleStaleClaim', claim);
  listExpiringDecisions: Journal['listExpiringDecisions'] = (query) =>
    this.#client.call('listExpiringDecisions', query);
  expireDecision: Journal['expireDecision'] = (id) => this.#client.call('expireDecision', id);
  takeOver: Journal['takeOver'] = () => this.#client.call('takeOver');
  prune: Journal['prune'] = (query) => this.#client.call('prune', query);
  listSessions: Journal['listSessions'] = (query) => this.#client.call('listSessions', query);
  removeRecords: Journal['removeRecords'] = (removal) => this.#client.call('removeRecords', removal);
  exportUnresolved: Journal['exportUnresolved'] = (query) => this.#client.call('exportUnresolved', query);
  importRecords: Journal['importRecords'] = (user, records) => this.#client.call('importRecords', user, records);
  listGrants: Journal['listGrants'] = (query) => this.#client.call('listGrants', query);
  revokeGrant: Journal['revokeGrant'] = (id, by) => this.#client.call('revokeGrant', id, by);
  trustDefinitions: Journal['trustDefinitions'] = (trust) => this.#client.call('trustDefinitions', trust);
  listTrustedDefinitions: Journal['listTrustedDefinitions'] = (query) =>
    this.#client.call('listTrustedDefinitions', query);
  getDecision: Journal['getDecision'] = (id) => this.#client.call('getDecision', id);
  listDecisions: Journal['listDecisions'] = (query) => this.#client.call('listDecisions', query);
  listOpenDecisions: Journal['listOpenDecisions'] = (user) => this.#client.call('listOpenDecisions', user);
  getAction: Journal['getAction'] = (id) => this.#client.call('getAction', id);
  listActions: Journal['listActions'] = (query) => this.#client.call('listActions', query);
  summarize: Journal['summarize'] = (user) => this.#client.call('summarize', user);
  verify: Journal['verify'] = (user) => this.#client.call('verify', user);

  counts(): Promise<WorkerCounts> {
    return this.#client.counts();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The lock goes last: nobody may come in while anything of this owner can still reach the files. */
  async #close(): Promise<void> {
    const { marker, log } = this.#options;
    try {
      const quiet = await this.#client.close();
      if (quiet && marker.read().raised) {
        await marker.lower();
      }
    } catch (error) {
      log.warn('journal not closed cleanly', { code: codeOf(error), error: messageOf(error) });
    }
    try {
      this.#lock.release();
    } catch (error) {
      log.warn('owner lock not released', { code: codeOf(error) });
    }
  }
}
