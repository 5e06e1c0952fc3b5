import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { McpTrust } from '../../src/editor/mcpTrust.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { EmbeddedHarness } from '../support/embeddedHarness.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

/** The state of one VS Code, shared by its workspaces. */
class State {
  readonly #values = new Map<string, unknown>();
  readonly get = (key: string): unknown => this.#values.get(key);
  readonly update = (key: string, value: unknown): Promise<void> => {
    this.#values.set(key, JSON.parse(JSON.stringify(value)));
    return Promise.resolve();
  };
}

describe('What the user trusted of MCP servers', () => {
  const harnesses: EmbeddedHarness[] = [];
  afterEach(async () => {
    await Promise.all(harnesses.splice(0).map((harness) => harness.closeAll()));
  });
  const folder = useTemporaryFolder();

  const newJournal = async (): Promise<Journal> => {
    const own = join(folder.path, String(harnesses.length));
    mkdirSync(own);
    const harness = new EmbeddedHarness(own);
    harnesses.push(harness);
    return (await harness.open()).journal;
  };

  const trustIn = (state: State, journal: () => Promise<Journal>): McpTrust =>
    new McpTrust({ state, journal, user: () => 'alice', log: silentLog });

  it('[M3] is known in every workspace, so that a changed tool is not trusted by being first seen in a new one', async () => {
    const state = new State();
    const [one, other] = [await newJournal(), await newJournal()];
    assert.equal(await trustIn(state, () => Promise.resolve(one)).read('mail'), undefined);
    await trustIn(state, () => Promise.resolve(one)).write('mail', { send: 'a' });
    assert.equal((await trustIn(state, () => Promise.resolve(other)).read('mail'))?.['send'], 'a');
  });

  it('[M3] is known from the journal where this VS Code does not know it, as on another machine of a team', async () => {
    const journal = await newJournal();
    await trustIn(new State(), () => Promise.resolve(journal)).write('mail', { send: 'a' });
    const elsewhere = trustIn(new State(), () => Promise.resolve(journal));
    assert.equal((await elsewhere.read('mail'))?.['send'], 'a');
    assert.equal(await elsewhere.read('calendar'), undefined);
  });

  it('[M3] is over when it is forgotten, in both places', async () => {
    const state = new State();
    const journal = await newJournal();
    const trust = trustIn(state, () => Promise.resolve(journal));
    await trust.write('mail', { send: 'a' });
    await trust.write('calendar', { add: 'b' });
    assert.deepEqual([...trust.servers].sort(), ['calendar', 'mail']);
    await trust.forget('mail');
    assert.equal(await trust.read('mail'), undefined);
    assert.equal(await trustIn(new State(), () => Promise.resolve(journal)).read('mail'), undefined);
    assert.equal((await trust.read('calendar'))?.['add'], 'b');
  });

  it('[M3] a server that had no tools then is known as one that was seen: what it has later was not trusted', async () => {
    const journal = await newJournal();
    await trustIn(new State(), () => Promise.resolve(journal)).write('mail', {});
    const known = await trustIn(new State(), () => Promise.resolve(journal)).read('mail');
    assert.ok(known !== undefined && !('send' in known));
  });

  it('[M3] is nothing, and not everything, while nobody can say what was trusted', async () => {
    const unreadable = trustIn(new State(), () => Promise.reject(new Error('no disk')));
    assert.deepEqual(await unreadable.read('mail'), {});
    await unreadable.write('mail', { send: 'a' });
    assert.equal((await unreadable.read('mail'))?.['send'], 'a');
  });
});
