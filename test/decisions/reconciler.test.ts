import assert from 'node:assert/strict';
import type { Decision } from '../../src/core/decision.ts';
import { silentLog } from '../../src/core/log.ts';
import { Inbox, type Attention } from '../../src/decisions/inbox.ts';
import { openDecisions, type OpenDecisions } from '../../src/decisions/openDecisions.ts';
import { Reconciler } from '../../src/decisions/reconciler.ts';
import { requestAttention, reviewOf } from '../support/decisions.ts';
import { Deferred } from '../support/deferred.ts';

/** A place on screen that may be broken for a while. */
class Screen {
  readonly name: string;
  readonly seen: (readonly string[])[] = [];
  isBroken = false;

  constructor(name: string) {
    this.name = name;
  }

  project({ attentions }: OpenDecisions): void {
    if (this.isBroken) {
      throw new Error(`${this.name} is broken`);
    }
    this.seen.push(attentions.map(({ decision }) => decision.id));
  }

  get shown(): readonly string[] | undefined {
    return this.seen.at(-1);
  }
}

const attentionOf = (decision: Decision): Attention => ({ decision, waiting: null, description: null });

describe('What a person sees of the open decisions', () => {
  /** The rows. */
  let rows: Decision[];
  let read: () => Promise<OpenDecisions>;
  let reads: number;
  let tree: Screen;
  let panels: Screen;
  let notified: string[];
  let notifications: { isBroken: boolean };
  let owed: number;
  let unread: unknown[];
  let inbox: Inbox;
  let reconciler: Reconciler;

  beforeEach(() => {
    rows = [];
    reads = 0;
    read = () => Promise.resolve(openDecisions({ unresolved: [], running: 0 }, rows, (id) => inbox.attentionFor(id)));
    [tree, panels] = [new Screen('tree'), new Screen('panels')];
    notified = [];
    notifications = { isBroken: false };
    owed = 0;
    unread = [];
    inbox = new Inbox(() => Promise.reject(new Error('no journal here')), silentLog);
    reconciler = new Reconciler({
      inbox,
      read: () => {
        reads += 1;
        return read();
      },
      notify: ({ decision }) => {
        if (notifications.isBroken) {
          throw new Error('notifications are broken');
        }
        notified.push(decision.id);
      },
      projections: [tree, panels],
      onUnread: (error) => unread.push(error),
      onOwed: () => (owed += 1),
      log: silentLog,
    });
  });
  afterEach(() => {
    reconciler.dispose();
  });

  /** All that follows by itself has happened. */
  const settled = (): Promise<void> => new Promise(setImmediate);

  /** A decision is committed, and then raised. */
  const raise = (): Decision => {
    const decision = reviewOf();
    rows.push(decision);
    inbox.raise(attentionOf(decision));
    return decision;
  };
  const end = (decision: Decision): void => {
    rows.splice(rows.indexOf(decision), 1);
    inbox.ended({ ...decision, state: 'approved', revision: 2 });
  };

  it('[U5] is the same everywhere: what is raised appears, and what was answered anywhere goes', async () => {
    const [first, second] = [raise(), raise()];
    assert.deepEqual(notified, [first.id, second.id], 'who is waited for is told at once');
    await settled();
    assert.deepEqual(
      [tree.shown, panels.shown],
      [
        [first.id, second.id],
        [first.id, second.id],
      ],
    );
    end(first);
    await settled();
    assert.deepEqual([tree.shown, panels.shown], [[second.id], [second.id]]);
    assert.deepEqual([reconciler.owes, owed], [false, 0]);
  });

  it('[U2] does not notify again of what a person has closed, however often it is looked at', async () => {
    const review = raise();
    await reconciler.reconcile();
    await reconciler.reconcile();
    await reconciler.repair();
    assert.deepEqual(notified, [review.id]);
    assert.deepEqual(tree.shown, [review.id], 'and goes on showing it');
  });

  it('[C15] shows the rest where one place fails, owes that one alone, and shows it once it is repaired', async () => {
    tree.isBroken = true;
    const review = raise();
    await reconciler.reconcile();
    assert.deepEqual([tree.shown, panels.shown], [undefined, [review.id]]);
    assert.equal(reconciler.owes, true);
    await assert.rejects(reconciler.repair(), /Not shown: tree\./);
    tree.isBroken = false;
    await reconciler.repair();
    assert.deepEqual([tree.shown, reconciler.owes], [[review.id], false]);
  });

  it('[C15] says each time that something is owed, so that somebody repairs it', async () => {
    panels.isBroken = true;
    raise();
    await reconciler.reconcile();
    assert.equal(owed > 0, true);
    const before = owed;
    reconciler.look();
    await reconciler.reconcile();
    assert.equal(owed, before + 1);
  });

  it('[C15] owes a notification that could not be shown, unless its decision is answered meanwhile', async () => {
    notifications.isBroken = true;
    const [answered, open] = [raise(), raise()];
    await reconciler.reconcile();
    assert.deepEqual(tree.shown, [answered.id, open.id], 'the other places have it');
    assert.equal(reconciler.owes, true);
    end(answered);
    notifications.isBroken = false;
    await reconciler.repair();
    assert.deepEqual(notified, [open.id]);
    assert.equal(reconciler.owes, false);
  });

  it('[C15] owes everything while the rows cannot be read, and leaves what is shown', async () => {
    const review = raise();
    await reconciler.reconcile();
    const why = new Error('the disk is gone');
    read = () => Promise.reject(why);
    await reconciler.reconcile();
    assert.deepEqual([unread, tree.shown, reconciler.owes], [[why], [review.id], true]);
  });

  it('is read once for many changes that come together, and once more for what changes meanwhile', async () => {
    const reading = new Deferred<OpenDecisions>();
    const before = read;
    read = () => reading.promise;
    const looks = [reconciler.reconcile(), reconciler.reconcile()];
    await new Promise(setImmediate);
    assert.equal(reads, 1);
    read = before;
    const late = raise();
    raise();
    looks.push(reconciler.reconcile());
    reading.resolve(await before());
    await Promise.all(looks);
    assert.deepEqual([reads, tree.shown?.[0]], [2, late.id]);
  });

  it('shows nothing more once it is let go of', async () => {
    reconciler.dispose();
    raise();
    await reconciler.reconcile();
    assert.deepEqual([reads, notified], [0, []]);
  });
});

describe('The open decisions', () => {
  const [alice, elsewhere] = [
    { user: 'alice', session: 'one' },
    { user: 'alice', session: 'two' },
  ];

  it('name the sessions whose unknown outcomes have no review yet', () => {
    const summary = {
      unresolved: [
        { scope: alice, count: 3 },
        { scope: elsewhere, count: 2 },
      ],
      running: 0,
    };
    const open = openDecisions(summary, [reviewOf({ scope: alice })], () => undefined);
    assert.deepEqual(open.unreviewed, [{ scope: elsewhere, count: 2 }]);
    assert.equal(open.unresolved, 5);
  });

  it('hold requests once that are asked as one', () => {
    const [first, alike] = [reviewOf({ kind: 'permission' }), reviewOf({ kind: 'permission' })];
    const asked: Attention = {
      ...attentionOf(first),
      request: requestAttention({ alike: [alike] }),
    };
    const open = openDecisions({ unresolved: [], running: 0 }, [first, alike], () => asked);
    assert.deepEqual(open.attentions, [asked]);
  });
});
