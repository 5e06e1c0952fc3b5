import assert from 'node:assert/strict';
import { idPrefixAt } from '../../src/core/ids.ts';
import { createSay, fullTime, untranslated } from '../../src/core/messages.ts';
import { entryDetails } from '../../src/editor/entryDetails.ts';
import { JournalFeed, type JournalEntry } from '../../src/editor/journalFeed.ts';
import { removeAll } from '../../src/journal/removal.ts';
import { BodyTool, succeeds } from '../support/bodyTool.ts';
import { useWorlds, type World } from '../support/world.ts';

describe('The feed of the journal', () => {
  const worlds = useWorlds();
  const say = createSay(untranslated);

  /** Calls that were allowed, remembered, denied by a person and by a rule, expired, given up, and a permission that was revoked. */
  const lived = async (): Promise<World> => {
    const world = await worlds.open({ tools: [new BodyTool('write', succeeds), new BodyTool('send', succeeds)] });
    world.rules = { '*': 'ask' };
    const first = world.call('write', { n: 1 });
    await world.answer(await world.raised(), 'approved', null, 'always');
    await first;
    await world.call('write', { n: 2 });
    const denied = world.call('send', { n: 3 });
    await world.answer(await world.raised(), 'denied', 'Not today.');
    await denied;
    world.rules = { '*': 'deny' };
    await world.call('send', { n: 4 });
    world.rules = { '*': 'ask' };
    await world.call('send', { n: 5 }, { attended: false });
    const { decision } = await world.raised();
    world.harness.clock.advance(3_600_000);
    await world.journal.expireDecision(decision.id);
    const caller = new AbortController();
    const givenUp = world.call('send', { n: 6 }, { cancelled: caller.signal });
    await world.raised();
    caller.abort();
    await givenUp;
    const [grant] = await world.journal.listGrants({ user: 'tester', limit: 1 });
    await world.journal.revokeGrant(grant?.id ?? '', 'tester');
    return world;
  };

  const text = (entry: JournalEntry): string =>
    entryDetails(entry, (session) => session, say)
      .filter(({ name }) => ['Tool', 'How it ended', 'Decision', 'Their words', 'Allowed by', 'Now'].includes(name))
      .map(({ value }) => value)
      .join(' | ');

  it('holds every record, newest first: what ran, what was denied and by whom, what expired, what was revoked', async () => {
    const world = await lived();
    const { entries, more } = await new JournalFeed(world.journal, 'tester').next(100);
    assert.equal(more, false);
    assert.deepEqual(entries.map(text), [
      'test.send | permission: ended without an answer: the caller gave up',
      'test.send | permission: expired without an answer',
      'test.send | permission: denied by your rule *',
      'test.send | permission: denied by tester | Not today.',
      'test.write | finished | a remembered permission',
      'test.write | finished | a person, asked for this call',
      'test.write | remembered permission, always | taken back by tester',
      'test.write | permission: allowed by tester',
    ]);
  });

  it('[G20] says where records were deleted: between what was before and after, with who and how many', async () => {
    const world = await lived();
    const first = (await new JournalFeed(world.journal, 'tester').next(100)).entries.length;
    world.harness.clock.advance(1000);
    await world.journal.registerSession({
      scope: { user: 'tester', session: 'session-2' },
      surface: 'language_model_tool',
      ageMs: 0,
    });
    await removeAll(world.journal, { user: 'tester', session: 'session-2', by: 'tester', knownUnresolved: 0 });
    const deletedAt = world.harness.clock.now();
    const { entries } = await new JournalFeed(world.journal, 'tester').next(100);
    assert.equal(entries.length, first + 1);
    const tombstone = entries.find(({ kind }) => kind === 'tombstone');
    assert.deepEqual(
      entryDetails(tombstone!, (session) => session, say).map(({ name, value }) => [name, value]),
      [
        ['Deleted', fullTime(deletedAt)],
        ['Deleted by', 'tester'],
        ['Actions that it had', '0'],
        ['Session', 'session-2'],
      ],
    );
    const prefix = idPrefixAt(deletedAt);
    const place = entries.indexOf(tombstone!);
    assert.ok(
      entries.slice(0, place).every(({ id }) => id > prefix) && entries.slice(place + 1).every(({ id }) => id < prefix),
    );
  });

  it('gives the same a page at a time, and says when there is no more', async () => {
    const world = await lived();
    const whole = (await new JournalFeed(world.journal, 'tester').next(100)).entries;
    for (const size of [1, 3, 8]) {
      const feed = new JournalFeed(world.journal, 'tester');
      const paged: JournalEntry[] = [];
      for (let more = true; more;) {
        const page = await feed.next(size);
        paged.push(...page.entries);
        more = page.more;
      }
      assert.deepEqual(paged, whole, `pages of ${size}`);
    }
    assert.deepEqual(await new JournalFeed(world.journal, 'somebody').next(1), { entries: [], more: false });
  });
});
