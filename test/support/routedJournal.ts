import type { ActionRecord } from '../../src/core/action.ts';
import type { Decision } from '../../src/core/decision.ts';
import type { Journal, TakeOver } from '../../src/journal/journal.ts';
import type { Role } from './postgresHarness.ts';

/**
 * One journal out of those of several roles, for a contract that knows of users and not of roles: each call goes to the connection of
 * the user whom it concerns, by its scope or by whom its id was first seen with; what crosses users goes to the settler's.
 */
export class RoutedJournal implements Journal {
  /** By id of an action or decision. */
  readonly userOf: Map<string, Role>;
  readonly #journals: ReadonlyMap<Role, Journal>;
  readonly #ready: () => Promise<unknown>;
  readonly leaseMs = 45_000;

  constructor(journals: ReadonlyMap<Role, Journal>, ready: () => Promise<unknown>, userOf = new Map<string, Role>()) {
    this.#journals = journals;
    this.#ready = ready;
    this.userOf = userOf;
  }

  registerSession: Journal['registerSession'] = async (session) =>
    (await this.#of(session.scope.user)).registerSession(session);

  startAction: Journal['startAction'] = async (intent) => {
    this.#note(intent.id, intent.scope.user);
    return (await this.#of(intent.scope.user)).startAction(intent);
  };

  repair: Journal['repair'] = async (repairs) => {
    for (const role of ['alice', 'bob']) {
      const own = repairs.filter(({ actionId }) => this.#userOf(actionId) === role);
      await (await this.#of(role)).repair(own);
    }
  };

  settleAction: Journal['settleAction'] = async (settlement) =>
    (await this.#by(settlement.actionId)).settleAction(settlement);

  appendEvidence: Journal['appendEvidence'] = async (id, notes) => (await this.#by(id)).appendEvidence(id, notes);

  openRecoveryReview: Journal['openRecoveryReview'] = async (opening) => {
    this.#note(opening.id, opening.scope.user);
    const result = await (await this.#of(opening.scope.user)).openRecoveryReview(opening);
    if (result.kind !== 'nothing_unresolved') {
      this.#note(result.decision.id, opening.scope.user);
    }
    return result;
  };

  openReplayReview: Journal['openReplayReview'] = async (opening) => {
    this.#note(opening.id, opening.scope.user);
    return (await this.#of(opening.scope.user)).openReplayReview(opening);
  };

  openQuestion: Journal['openQuestion'] = async (opening) => {
    this.#note(opening.id, opening.scope.user);
    return (await this.#of(opening.scope.user)).openQuestion(opening);
  };

  listNamedActions: Journal['listNamedActions'] = async (query) =>
    (await this.#by(query.decision)).listNamedActions(query);
  releaseRun: Journal['releaseRun'] = async (user, runId) => (await this.#of(user)).releaseRun(user, runId);

  openRequest: Journal['openRequest'] = async (opening) => {
    this.#note(opening.id, opening.scope.user);
    return (await this.#of(opening.scope.user)).openRequest(opening);
  };

  recordDenial: Journal['recordDenial'] = async (denial) => {
    this.#note(denial.id, denial.scope.user);
    return (await this.#of(denial.scope.user)).recordDenial(denial);
  };

  reopenDenial: Journal['reopenDenial'] = async (id) => (await this.#by(id)).reopenDenial(id);
  answerDecision: Journal['answerDecision'] = async (answer) => (await this.#by(answer.id)).answerDecision(answer);
  cancelDecision: Journal['cancelDecision'] = async (id, reason) => (await this.#by(id)).cancelDecision(id, reason);
  expireDecision: Journal['expireDecision'] = async (id) => (await this.#by(id)).expireDecision(id);
  getDecision: Journal['getDecision'] = async (id) => (await this.#by(id)).getDecision(id);
  getAction: Journal['getAction'] = async (id) => (await this.#by(id)).getAction(id);

  listClaims: Journal['listClaims'] = async (query) => (await this.#of('settler')).listClaims(query);
  settleStaleClaim: Journal['settleStaleClaim'] = async (claim) => (await this.#of('settler')).settleStaleClaim(claim);
  listExpiringDecisions: Journal['listExpiringDecisions'] = async (query) =>
    (await this.#of('settler')).listExpiringDecisions(query);

  renewClaims: Journal['renewClaims'] = async (staleAfterMs) => {
    const alices = await (await this.#of('alice')).renewClaims(staleAfterMs);
    return alices + (await (await this.#of('bob')).renewClaims(staleAfterMs));
  };

  takeOver: Journal['takeOver'] = async () => {
    const interrupted: ActionRecord[] = [];
    const changed: Decision[] = [];
    for (const role of ['alice', 'bob']) {
      const taken: TakeOver = await (await this.#of(role)).takeOver();
      interrupted.push(...taken.interrupted);
      changed.push(...taken.changed);
    }
    return { interrupted, changed };
  };

  prune: Journal['prune'] = async (query) => (await this.#of('alice')).prune(query);

  listSessions: Journal['listSessions'] = async (query) => (await this.#of(query.user)).listSessions(query);
  removeRecords: Journal['removeRecords'] = async (removal) => (await this.#of(removal.user)).removeRecords(removal);

  exportUnresolved: Journal['exportUnresolved'] = async (query) =>
    (await this.#of(query.scope.user)).exportUnresolved(query);

  importRecords: Journal['importRecords'] = async (user, records) => {
    const result = await (await this.#of(user)).importRecords(user, records);
    for (const { id } of [...records.actions, ...records.reviews]) {
      this.#note(id, user);
    }
    return result;
  };

  listGrants: Journal['listGrants'] = async (query) => (await this.#of(query.user)).listGrants(query);
  revokeGrant: Journal['revokeGrant'] = async (id, by) => (await this.#by(id)).revokeGrant(id, by);
  trustDefinitions: Journal['trustDefinitions'] = async (trust) => (await this.#of(trust.user)).trustDefinitions(trust);
  listTrustedDefinitions: Journal['listTrustedDefinitions'] = async (query) =>
    (await this.#of(query.user)).listTrustedDefinitions(query);
  listDecisions: Journal['listDecisions'] = async (query) => (await this.#of(query.user)).listDecisions(query);
  listOpenDecisions: Journal['listOpenDecisions'] = async (user) => (await this.#of(user)).listOpenDecisions(user);
  listActions: Journal['listActions'] = async (query) => (await this.#of(query.user)).listActions(query);
  summarize: Journal['summarize'] = async (user) => (await this.#of(user)).summarize(user);
  verify: Journal['verify'] = async (user) => (await this.#of(user)).verify(user);

  async close(): Promise<void> {
    // Found like the journal of any other call, so that what was called before is there first.
    const journals = await Promise.all([...this.#journals.keys()].map((role) => this.#of(role)));
    await Promise.all(journals.map((journal) => journal.close()));
  }

  #note(id: string, user: string): void {
    this.userOf.set(id, user as Role);
  }

  #userOf(id: string): Role {
    return this.userOf.get(id) ?? 'alice';
  }

  #by(id: string): Promise<Journal> {
    return this.#of(this.#userOf(id));
  }

  async #of(user: string): Promise<Journal> {
    await this.#ready();
    return this.#journals.get(user as Role)!;
  }
}
