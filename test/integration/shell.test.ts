import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { ListActionsTool } from '../../src/tools/listActions.ts';
import { RecentCommands } from '../../src/tools/shell/recentCommands.ts';
import { RunCommandTool } from '../../src/tools/shell/runCommand.ts';
import { useWorlds, type World } from '../support/world.ts';

describe('Commands through the bridge', () => {
  const worlds = useWorlds();
  let workspace: string;
  let world: World;

  beforeEach(async () => {
    workspace = join(worlds.folder.path, 'project');
    mkdirSync(workspace);
    const say = createSay(untranslated);
    const runCommand = new RunCommandTool({
      workspaceFolders: () => [workspace],
      shell: () => '/bin/sh',
      removedVariables: () => [],
      defaultTimeLimitMs: () => 30_000,
      environment: { platform: process.platform, variables: () => process.env },
      clock: systemClock,
      recent: new RecentCommands(),
      say,
    });
    const listActions = new ListActionsTool(() => Promise.resolve(world.journal), say, systemClock);
    world = await worlds.open({ tools: [runCommand, listActions] });
  });

  it('[S1] every exit code is completed, is reported, and gates nothing', async () => {
    for (const code of [0, 1, 2, 124, 126, 127, 255]) {
      const answer = await world.call('runCommand', { command: `exit ${code}` });
      assert.equal(answer.outcome, 'completed');
      assert.match(answer.text, new RegExp(`\\b${code}\\b`));
    }
    assert.equal(world.unseen, 0);
  });

  it('[S2] a command that appends a line and outlives its limit is uncertain, stands once, and gates the next', async () => {
    const file = join(workspace, 'effect.txt');
    const answer = await world.call('runCommand', { command: 'echo line >> effect.txt; sleep 60', timeoutSeconds: 1 });
    assert.deepEqual([answer.outcome, answer.reason], ['uncertain', 'timed_out']);
    const next = world.call('runCommand', { command: 'echo line >> effect.txt' });
    await world.answer(await world.raised(), 'denied');
    assert.equal((await next).outcome, 'not_executed');
    assert.equal(readFileSync(file, 'utf8'), 'line\n');
    const action = await world.journal.getAction(answer.actionId ?? '');
    const kinds = action?.evidence.map(({ evidence }) => evidence.kind) ?? [];
    assert.ok(kinds.includes('process') && kinds.includes('stopped'), kinds.join());
  });

  const refused: Record<string, object> = {
    'an unclosed quote': { command: "echo 'open" },
    'a NUL byte': { command: 'echo a\0b' },
    'an empty command': { command: '' },
    'an over-long command': { command: 'x'.repeat(200_000) },
    'a folder outside the workspace': { command: 'true', cwd: '/' },
  };
  for (const [what, input] of Object.entries(refused)) {
    it(`[S3] ${what} is refused before anything is written, and asks for no review`, async () => {
      const answer = await world.call('runCommand', input);
      assert.deepEqual([answer.outcome, answer.actionId], ['not_executed', null]);
      assert.equal((await world.call('runCommand', { command: 'true' })).outcome, 'completed');
      assert.equal(world.unseen, 0);
    });
  }

  it('[S3] a deny rule refuses without a review', async () => {
    world.rules = { 'holdfast.runCommand': 'deny' };
    const answer = await world.call('runCommand', { command: 'echo line >> effect.txt' });
    assert.equal(answer.reason, 'denied_by_rule');
    assert.equal(existsSync(join(workspace, 'effect.txt')), false);
  });

  it('[S4] a command killed from outside is uncertain and gates', async () => {
    const answer = await world.call('runCommand', { command: 'kill -TERM $$; sleep 60' });
    assert.deepEqual([answer.outcome, answer.reason], ['uncertain', 'killed_by_signal']);
    assert.equal(await world.unresolved(), 1);
  });

  it('[S9] a command cancelled after its start is uncertain, and the answer says that partial effects are possible', async () => {
    const cancel = new AbortController();
    const begun = fileAppears(workspace, 'begun');
    const running = world.call('runCommand', { command: 'touch begun; sleep 60' }, { cancelled: cancel.signal });
    await begun;
    cancel.abort();
    const answer = await running;
    assert.deepEqual([answer.outcome, answer.reason], ['uncertain', 'cancelled_after_boundary']);
    assert.match(answer.text, /[Pp]artial effects are possible/);
  });

  it('[G17] `ls` writes a row like any command, and the list of actions answers while the scope is gated, writing none', async () => {
    assert.equal((await world.call('runCommand', { command: 'ls' })).outcome, 'completed');
    await world.call('runCommand', { command: 'kill -KILL $$' });
    const before = await world.journal.counts();
    const listing = await world.call('listActions');
    assert.match(listing.text, /1 with unknown outcome/);
    assert.match(listing.text, /unknown: ended by a signal/);
    assert.equal(listing.actionId, null);
    assert.equal((await world.journal.counts()).io.writes, before.io.writes);
    assert.equal((await world.journal.listActions({ user: 'tester', limit: 10 })).actions.length, 2);
  });
});

function fileAppears(folder: string, name: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, (_event, changed) => {
      if (changed === name) {
        watcher.close();
        resolve();
      }
    });
  });
}
