import type { Bridge } from '../bridge/bridge.ts';
import type { Clock } from '../core/clock.ts';
import type { Decision } from '../core/decision.ts';
import { newId } from '../core/ids.ts';
import { sayText, text, type Say, type Text } from '../core/messages.ts';
import type { Inbox } from '../decisions/inbox.ts';
import type { Failpoints } from '../journal/failpoints.ts';
import type { Journal } from '../journal/journal.ts';
import { compareDefinitions } from './definition/comparison.ts';
import type { PipelineDefinition } from './definition/definition.ts';
import { loadDefinition } from './definition/loadDefinition.ts';
import type { Problem } from './definition/problem.ts';
import { carriedInputs } from './definition/runInputs.ts';
import { definitionHash } from './definitionHash.ts';
import { misfits } from './fit.ts';
import { recordKey, type Checkpoint, type RunRecord } from './run.ts';
import type { NewWalk, RunStore } from './runStore.ts';
import { parseSnapshot, type Snapshot } from './snapshot.ts';
import { Walk } from './walk.ts';

export interface ReplayParts {
  readonly store: RunStore;
  readonly inbox: Inbox;
  readonly bridge: Pick<Bridge, 'writeRepairs'>;
  readonly journal: () => Promise<Journal>;
  /** The text of the pipeline's file as it is now; the run's own where there is no file. */
  readonly readDefinition: (run: RunRecord) => Promise<string>;
  readonly failpoints: Failpoints;
  readonly clock: Clock;
  readonly say: Say;
}

export interface ReplayRequest {
  readonly run: RunRecord;
  /** The checkpoint to go on from; the newest where absent. */
  readonly checkpoint?: number;
  /** Whether it goes back: what was approved in the run and not used is void then (R7). */
  readonly rewinds: boolean;
  /** A person gives the resume up: the review that it waits for ends with it. */
  readonly stopped: AbortSignal;
  /** Holdfast stops: the review stays (R6). */
  readonly closing: AbortSignal;
}

/** Why a run does not go on. Nothing of its state was changed then (R4). */
export interface ReplayRefusal {
  readonly kind: 'refused';
  readonly code:
    | 'no_checkpoint'
    | 'damaged'
    | 'action_running'
    | 'other_review'
    | 'review_needed'
    | 'rejected'
    | 'stopped'
    | 'definition'
    | 'unfit';
  readonly text: Text;
  /** The review that it is about, or that waits. */
  readonly decision?: Decision;
  /** What is wrong with the file. */
  readonly problems?: readonly Problem[];
}

/** All that a walk needs to begin; still nothing is written. */
export interface ReplayPlan {
  readonly kind: 'planned';
  readonly definition: PipelineDefinition;
  readonly walk: Walk;
  readonly begin: Omit<NewWalk, 'entry' | 'runId'>;
}

interface Found {
  readonly checkpoint: Checkpoint;
  readonly snapshot: Snapshot;
  readonly before: PipelineDefinition;
}

/**
 * What comes before a run goes on, in exactly this order (P14): load and parse, rebuild the context, the replay review, recompile and compare.
 * (Exclusion and status come before it, and writing and walking after: pipelines.ts.) It reads the run's state and never writes it, so that a
 * rejection, a stop or a crash on the way leaves every byte as it was.
 */
export async function planReplay(request: ReplayRequest, parts: ReplayParts): Promise<ReplayPlan | ReplayRefusal> {
  const { run } = request;
  const { failpoints, store } = parts;
  const seq = request.checkpoint ?? run.lastCheckpoint;

  const found = seq === 0 ? undefined : await load(run, seq, store);
  if (found !== undefined && 'kind' in found) {
    return found;
  }
  if (found !== undefined) {
    const unfit = misfits(found.before, found.snapshot);
    if (unfit.length > 0) {
      return unfitRefusal(unfit, parts.say);
    }
    if (Walk.restore(found.before, found.snapshot) === undefined) {
      return refusal('damaged', text('run.refused.damaged'));
    }
  }
  const reviewed = await review(request, found?.checkpoint, parts);
  if ('kind' in reviewed) {
    return reviewed;
  }
  failpoints.hit('replay.approved');
  const compiled = await recompile(run, found, parts);
  if ('kind' in compiled) {
    return compiled;
  }
  failpoints.hit('replay.rebuilt');
  if (isOver(request)) {
    return stoppedRefusal();
  }
  if (reviewed.reviewId !== null || request.rewinds) {
    await voidApprovals(request, parts);
  }
  if (isOver(request)) {
    return stoppedRefusal();
  }
  const { walk, definition, changed } = compiled;
  const begin = { after: run.walkId, walkId: newId(), reviewId: reviewed.reviewId, definition: changed };
  return { kind: 'planned', definition, walk, begin };
}

async function load(run: RunRecord, seq: number, store: RunStore): Promise<Found | ReplayRefusal> {
  const stored = await store.getCheckpoint(run.id, seq);
  if (stored === undefined) {
    return refusal('no_checkpoint', text('run.refused.noCheckpoint'));
  }
  const snapshot = parseSnapshot(stored.snapshot);
  const loaded = loadDefinition(run.definition);
  return snapshot === undefined || loaded.kind === 'refused'
    ? refusal('damaged', text('run.refused.damaged'))
    : { checkpoint: stored.checkpoint, snapshot, before: loaded.definition };
}

/** The one replay review over all earlier actions of the run; none where nothing has run (R3). */
async function review(
  request: ReplayRequest,
  checkpoint: Checkpoint | undefined,
  { store, inbox, bridge, journal: openJournal, failpoints, clock }: ReplayParts,
): Promise<{ readonly reviewId: string | null } | ReplayRefusal> {
  const { run, stopped, closing } = request;
  const journal = await openJournal();
  if (checkpoint === undefined || !(await hasRun(run, store, journal))) {
    return { reviewId: null };
  }
  const scope = { user: run.user, session: run.id };
  await journal.registerSession({ scope, surface: 'pipeline', ageMs: Math.max(0, clock.now() - run.createdAt) });
  if (isOver(request)) {
    return stoppedRefusal();
  }
  // An action whose end could not be written does not run any more.
  await bridge.writeRepairs();
  const opening = await journal.openReplayReview({
    id: newId(),
    scope,
    attended: run.attended,
    run: { runId: run.id, nodeKey: recordKey(checkpoint) },
    checkpoint: checkpoint.seq,
    usedReview: run.reviewId,
  });
  switch (opening.kind) {
    case 'running':
      return refusal('action_running', text('run.refused.actionRunning', { id: opening.action.id }));
    case 'other_open':
      return {
        ...refusal('other_review', text('run.refused.otherReview', { id: opening.decision.id })),
        decision: opening.decision,
      };
    case 'approved':
      return { reviewId: opening.decision.id };
    case 'ended':
      return rejected(opening.decision);
    case 'opened':
    case 'joined':
      break;
  }
  const { decision } = opening;
  if (!run.attended) {
    inbox.raise({ decision, waiting: null, description: null });
    return { ...refusal('review_needed', text('run.refused.reviewNeeded', { id: decision.id })), decision };
  }
  // Wait first, show then: an answer may come at once.
  const answered = inbox.settled(decision.id, AbortSignal.any([stopped, closing]));
  inbox.raise({ decision, waiting: null, description: null });
  failpoints.hit('replay.reviewing');
  const answer = await answered;
  if (answer?.state === 'approved' && !isOver(request)) {
    return { reviewId: decision.id };
  }
  if (stopped.aborted && !closing.aborted) {
    await inbox.cancel(decision.id, 'caller_gone');
  }
  return isOver(request) || answer === undefined ? stoppedRefusal() : rejected(answer);
}

async function hasRun(run: RunRecord, store: RunStore, journal: Journal): Promise<boolean> {
  if (await store.hasRun(run.id)) {
    return true;
  }
  const { actions } = await journal.listActions({ user: run.user, run: run.id, limit: 1 });
  return actions.length > 0;
}

async function recompile(
  run: RunRecord,
  found: Found | undefined,
  { readDefinition, say }: ReplayParts,
): Promise<(Pick<ReplayPlan, 'definition' | 'walk'> & { changed: NewWalk['definition'] }) | ReplayRefusal> {
  const source = await readDefinition(run);
  const loaded = loadDefinition(source);
  if (loaded.kind === 'refused') {
    return { ...refusal('definition', text('run.refused.definition')), problems: loaded.problems };
  }
  const { definition } = loaded;
  const hash = definitionHash(source);
  const given = new Map(Object.entries(found?.snapshot.inputs ?? run.inputs));
  // A checkpoint may be older than the definition that the run was walked by last.
  const inputs = carriedInputs(definition, given);
  const changed =
    hash === run.definitionHash
      ? null
      : {
          definition: source,
          definitionHash: hash,
          inputs: Object.fromEntries(inputs),
          name: definition.name,
        };
  if (found === undefined) {
    return { definition, walk: new Walk(definition, inputs), changed };
  }
  const { before, snapshot } = found;
  const ended = Walk.restore(before, snapshot)?.ended ?? new Set<string>();
  const unfit = compareDefinitions(before, definition, { at: snapshot.at, ended }).filter(({ fits }) => !fits);
  const walk = unfit.length > 0 ? undefined : Walk.restore(definition, snapshot, inputs);
  if (walk === undefined) {
    const differences = unfit.map((difference) => difference.text);
    return unfitRefusal(differences, say);
  }
  return { definition, walk, changed };
}

/**
 * Earlier approvals inside the run are void on a replay (P14, R7): permissions that were remembered for the run, and on a way back also those that
 * nobody has used. (A permission that was used, and a node's answer behind the checkpoint, are asked for again anyway.)
 */
async function voidApprovals(
  { run, rewinds }: ReplayRequest,
  { journal: openJournal, inbox }: ReplayParts,
): Promise<void> {
  const journal = await openJournal();
  const grants = await journal.listGrants({ user: run.user, session: run.id, limit: MANY });
  for (const { id } of grants.filter(({ session }) => session === run.id)) {
    await journal.revokeGrant(id, 'holdfast');
  }
  if (!rewinds) {
    return;
  }
  let before: string | undefined;
  for (;;) {
    const from = before === undefined ? {} : { before };
    const page = await journal.listDecisions({ user: run.user, session: run.id, limit: MANY, ...from });
    for (const { id, kind, state, execution } of page.decisions) {
      if (kind === 'permission' && state === 'approved' && execution === null) {
        await inbox.cancel(id, 'not_started');
      }
    }
    before = page.decisions.at(-1)?.id;
    if (!page.more) {
      return;
    }
  }
}

const MANY = 200;

function rejected(decision: Decision): ReplayRefusal {
  return { ...refusal('rejected', text('run.refused.rejected')), decision };
}

function unfitRefusal(differences: readonly Text[], say: Say): ReplayRefusal {
  const named = differences.map((difference) => sayText(difference, say)).join(' ');
  return refusal('unfit', text('run.refused.unfit', { differences: named }));
}

export function isOver({ stopped, closing }: Pick<ReplayRequest, 'stopped' | 'closing'>): boolean {
  return stopped.aborted || closing.aborted;
}

export function stoppedRefusal(): ReplayRefusal {
  return refusal('stopped', text('run.refused.stopped'));
}

function refusal(code: ReplayRefusal['code'], why: Text): ReplayRefusal {
  return { kind: 'refused', code, text: why };
}
