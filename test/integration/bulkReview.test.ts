import assert from 'node:assert/strict';
import { BulkReview } from '../../src/decisions/bulkReview.ts';
import { BodyTool, breaksOff, succeeds } from '../support/bodyTool.ts';
import { makeUnresolved, register } from '../support/actions.ts';
import { useWorlds, type World } from '../support/world.ts';

const one = { user: 'tester', session: 'session-1' };
const two = { user: 'tester', session: 'session-2' };

describe('A person’s one word for many reviews', () => {
  const worlds = useWorlds();
  let world: World;
  let bulk: BulkReview;
  beforeEach(async () => {
    world = await worlds.open({ tools: [new BodyTool('change', succeeds), new BodyTool('break', breaksOff)] });
    await register(world.journal, one, two);
    bulk = new BulkReview(() => Promise.resolve(world.journal), world.inbox);
  });

  it('[G8] [P4] [P5] is a decision for each 20 actions, with the note on every one, and no outcome is relabelled', async () => {
    const unknown = await makeUnresolved(world.journal, 45, one);
    await makeUnresolved(world.journal, 1, two);
    const survey = await bulk.survey('tester');
    assert.deepEqual(
      survey.map(({ scope, ids }) => [scope.session, ids.size]),
      [
        ['session-1', 45],
        ['session-2', 1],
      ],
    );
    const chosen = survey.filter(({ scope }) => scope.session === 'session-1');
    assert.deepEqual(await bulk.approve(chosen, 'tester', 'looked at each'), { reviews: 3, actions: 45, left: 0 });
    const { decisions } = await world.journal.listDecisions({ user: 'tester', limit: 10 });
    assert.deepEqual(
      decisions.map(({ state, answeredFrom, note, actions }) => [state, answeredFrom, note, actions.length]).reverse(),
      [20, 20, 5].map((count) => ['approved', 'palette', 'looked at each', count]),
    );
    for (const { id } of [unknown[0]!, unknown[44]!]) {
      const action = await world.journal.getAction(id);
      assert.equal(action?.outcome, 'uncertain');
      assert.ok(action.acknowledgedBy);
      assert.deepEqual(action.evidence.at(-1)?.evidence, { kind: 'person', verdict: null, note: 'looked at each' });
    }
    assert.equal(await world.unresolved(), 1, 'the session that was not chosen');
  });

  it('[G9] [P5] does not cover what turned unresolved after the person looked', async () => {
    await makeUnresolved(world.journal, 21, one);
    const survey = await bulk.survey('tester');
    const [later] = await lateTrouble(world);
    assert.deepEqual(await bulk.approve(survey, 'tester', 'looked'), { reviews: 1, actions: 20, left: 1 });
    const { actions } = await world.journal.listActions({ user: 'tester', unresolvedOnly: true, limit: 10 });
    assert.equal(actions.length, 2);
    assert.equal(actions[0]?.id, later);
  });

  it('[G7] lets a waiting call go on, once all that holds its session back is checked', async () => {
    await makeUnresolved(world.journal, 21, one);
    const waiting = world.call('change');
    await world.raised();
    assert.deepEqual(await bulk.approve(await bulk.survey('tester'), 'tester', 'looked'), {
      reviews: 2,
      actions: 21,
      left: 0,
    });
    assert.equal((await waiting).outcome, 'completed');
    const { ended, waiting: still } = world.bridge.gateFigures;
    assert.ok(ended > 0 && still === 0, 'the wait is counted');
  });
});

/** Another unresolved action in the gated session, as a call that ran all along leaves it. */
async function lateTrouble({ journal }: World): Promise<string[]> {
  const { actions } = await journal.listActions({ user: 'tester', limit: 1 });
  const records = await journal.exportUnresolved({ scope: one, allSessions: false, knownIds: [] });
  const copied = records.actions.find(({ id }) => id === actions[0]?.id);
  assert.ok(copied);
  const id = `f${copied.id.slice(1)}`;
  await journal.importRecords('tester', { ...records, actions: [{ ...copied, id }], reviews: [] });
  return [id];
}
