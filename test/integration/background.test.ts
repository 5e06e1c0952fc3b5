import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallAnswer } from '../../src/bridge/call.ts';
import type { ActionRecord } from '../../src/core/action.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog, type Log } from '../../src/core/log.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import type { Tool } from '../../src/core/tool.ts';
import { actionText } from '../../src/editor/decisionText.ts';
import { CommandStatusTool } from '../../src/tools/commandStatus.ts';
import { ListActionsTool } from '../../src/tools/listActions.ts';
import { RecentCommands } from '../../src/tools/shell/recentCommands.ts';
import { StopCommandTool } from '../../src/tools/stopCommand.ts';
import { killAfterFirstLine } from '../support/childProcess.ts';
import { useWorlds, type World } from '../support/world.ts';
import { describePosix, makeFifo, membersOf } from '../tools/shell/harness.ts';
import { makeTool } from '../tools/shell/makeTool.ts';

const say = createSay(untranslated);

describePosix('Commands in the background, through the bridge', () => {
  const worlds = useWorlds();
  let workspace: string;
  let world: World;
  let lateEnds: CallAnswer[];
  let lateEnd: Promise<CallAnswer>;

  const tools = (): Tool[] => {
    const recent = new RecentCommands();
    const journal = (): Promise<World['journal']> => Promise.resolve(world.journal);
    const { platform } = process;
    return [
      makeTool(workspace, { recent, shell: () => '/bin/sh' }),
      new CommandStatusTool({ recent, journal, platform, clock: systemClock, say }),
      new StopCommandTool({ recent, clock: systemClock, say }),
      new ListActionsTool(journal, say, systemClock),
    ];
  };

  const open = async (log: Log = silentLog): Promise<World> => {
    const ends: CallAnswer[] = [];
    lateEnds = ends;
    let onLateEnd = (answer: CallAnswer): void => void ends.push(answer);
    lateEnd = new Promise((resolve) => {
      onLateEnd = (answer) => {
        ends.push(answer);
        resolve(answer);
      };
    });
    world = await worlds.open({ tools: tools(), onLateEnd, log });
    return world;
  };

  beforeEach(() => {
    workspace = join(worlds.folder.path, 'project');
    mkdirSync(workspace);
  });

  /** What a broken product leaves running is ended after its test. */
  const groups: number[] = [];
  afterEach(() => {
    for (const group of groups.splice(0)) {
      if (membersOf(group).length > 0) {
        process.kill(-group, 'SIGKILL');
      }
    }
  });

  const start = async (command: string, options = {}): Promise<CallAnswer> => {
    const answer = await world.call('runCommand', { command, background: true }, options);
    const [, pid] = /as pid (\d+)/.exec(answer.text) ?? [];
    groups.push(...(pid === undefined ? [] : [Number(pid)]));
    return answer;
  };
  const action = async (answer: CallAnswer): Promise<ActionRecord | undefined> =>
    world.journal.getAction(answer.actionId ?? '');

  it('[S8] its action is open after the answer and until it ends; then its real end is recorded', async () => {
    await open();
    const gate = makeFifo(workspace, 'gate');
    const answer = await start('read line < gate; echo "$line" >> effect.txt; exit 3');
    assert.deepEqual([answer.outcome, answer.reason, answer.unresolved], ['started', null, false]);
    assert.match(answer.text, /its outcome is not known yet/);
    assert.doesNotMatch(answer.text, /\b(done|failed|refused|finished|completed)\b/i);
    const running = await action(answer);
    assert.deepEqual([running?.outcome, running?.completedAt], ['started', null]);

    await writeFile(gate, 'line\n');
    const end = await lateEnd;
    assert.deepEqual([end.outcome, end.reason, end.actionId], ['completed', 'exited', answer.actionId]);
    const ended = await action(answer);
    assert.deepEqual([ended?.outcome, ended?.reason], ['completed', 'exited']);
    assert.ok(ended?.evidence.some(({ evidence }) => evidence.kind === 'exit' && evidence.code === 3));
    assert.equal(readFileSync(join(workspace, 'effect.txt'), 'utf8'), 'line\n');
    assert.equal(await world.unresolved(), 0);
  });

  it('[S8] when Holdfast stops, it is killed with its children, and recorded as stopped by the host', async () => {
    await open();
    const answers = [await start('sleep 600 & sleep 600'), await start('sleep 600')];
    const pids = await Promise.all(answers.map(async (answer) => pidOf(await action(answer))));
    await world.bridge.stop();
    for (const [index, answer] of answers.entries()) {
      const ended = await action(answer);
      assert.deepEqual([ended?.outcome, ended?.reason], ['uncertain', 'stopped_by_host']);
      assert.deepEqual(membersOf(pids[index] ?? 0), []);
    }
    assert.equal(lateEnds.length, 2);
  });

  it('[S8] [G10] while it runs it gates nothing: other commands run, and several run side by side', async () => {
    await open();
    const [first, second] = [await start('sleep 600'), await start('sleep 600')];
    assert.equal((await world.call('runCommand', { command: 'true' })).outcome, 'completed');
    assert.deepEqual([(await action(first))?.outcome, (await action(second))?.outcome], ['started', 'started']);
    assert.equal((await world.journal.summarize('tester')).running, 2);
    assert.equal(world.unseen, 0);
  });

  it('[S8] [C12] its claim is renewed as long as it runs, long after its caller was answered, and no timer outlives it', async () => {
    let renewed: (count: unknown) => void = () => {};
    const log: Log = {
      ...silentLog,
      trace: (event, fields) => {
        if (event === 'claims renewed') {
          renewed(fields?.['count']);
        }
      },
    };
    await open(log);
    const answer = await start('sleep 600');
    const { clock } = world.harness;
    for (let renewal = 0; renewal < 6; renewal++) {
      const next = new Promise((resolve) => (renewed = resolve));
      clock.advance(200_000);
      assert.equal(await next, 1);
    }
    assert.equal((await action(answer))?.outcome, 'started');
    await world.call('stopCommand', { id: answer.actionId });
    await lateEnd;
    assert.equal(clock.armed, 0);
  });

  it('[S8] killed from outside it is uncertain, and the next mutation waits', async () => {
    await open();
    const answer = await start('kill -KILL $$');
    assert.deepEqual([(await lateEnd).outcome, (await lateEnd).reason], ['uncertain', 'killed_by_signal']);
    assert.equal((await lateEnd).unresolved, true);
    assert.equal((await action(answer))?.outcome, 'uncertain');
    const next = world.call('runCommand', { command: 'true' });
    await world.answer(await world.raised(), 'denied');
    assert.equal((await next).reason, 'recovery_denied');
  });

  it('[S8] when its caller gives up afterwards, it runs on: that call is over', async () => {
    await open();
    const cancel = new AbortController();
    const gate = makeFifo(workspace, 'gate');
    const answer = await start('read line < gate; exit 0', { cancelled: cancel.signal });
    cancel.abort();
    assert.equal((await action(answer))?.outcome, 'started');
    await writeFile(gate, 'line\n');
    assert.equal((await lateEnd).outcome, 'completed');
  });

  it('[S8] [P7] its status and output are read without a record, a write or a wait, also while the session is gated', async () => {
    await open();
    const gate = makeFifo(workspace, 'gate');
    const answer = await start('echo up; read line < gate; echo down');
    await world.call('runCommand', { command: 'kill -KILL $$' });
    const before = await world.journal.counts();
    const rows = (await world.journal.listActions({ user: 'tester', limit: 10 })).actions.length;
    const listed = await world.call('commandStatus');
    assert.deepEqual([listed.outcome, listed.actionId], ['completed', null]);
    assert.match(listed.text, new RegExp(`${answer.actionId}: running for .* s as pid \\d+`));
    assert.match((await world.call('commandStatus', { id: answer.actionId })).text, /^Running for .* not known yet\./);
    assert.equal((await world.journal.counts()).io.writes, before.io.writes);
    assert.equal((await world.journal.listActions({ user: 'tester', limit: 10 })).actions.length, rows);

    await writeFile(gate, 'line\n');
    await lateEnd;
    assert.equal((await world.call('commandStatus', { id: answer.actionId })).text, 'Exit code 0.\n\nup\ndown');
    const others = await world.call('commandStatus', { id: answer.actionId }, { session: 'session-2' });
    assert.match(others.text, /^This session has no command with the record/);
  });

  it('[S8] [P7] it can be stopped while the session is gated; the stop is no action, its own becomes uncertain', async () => {
    await open();
    const answer = await start('echo up; sleep 600');
    const pid = pidOf(await action(answer));
    await world.call('runCommand', { command: 'kill -KILL $$' });
    const rows = (await world.journal.listActions({ user: 'tester', limit: 10 })).actions.length;
    const stopped = await world.call('stopCommand', { id: answer.actionId });
    assert.match(stopped.text, /^Stopped after .* s, as asked\. Partial effects are possible/);
    assert.equal(stopped.actionId, null);
    await lateEnd;
    const ended = await action(answer);
    assert.deepEqual([ended?.outcome, ended?.reason], ['uncertain', 'cancelled_after_boundary']);
    assert.deepEqual(membersOf(pid), []);
    assert.equal((await world.journal.listActions({ user: 'tester', limit: 10 })).actions.length, rows);
    assert.equal(await world.unresolved(), 2);
  });

  it('[S8] a deny rule keeps an agent from stopping commands', async () => {
    await open();
    const answer = await start('sleep 600');
    world.rules = { 'holdfast.stopCommand': 'deny' };
    assert.equal((await world.call('stopCommand', { id: answer.actionId })).reason, 'denied_by_rule');
    assert.equal((await action(answer))?.outcome, 'started');
  });

  it('[S8] [P11] the same call sent again while it runs is not started again', async () => {
    await open();
    const options = { externalCallId: 'call-1' };
    const answer = await start('echo line >> effect.txt; sleep 600', options);
    const again = await start('echo line >> effect.txt; sleep 600', options);
    assert.deepEqual([again.outcome, again.actionId], ['started', answer.actionId]);
    assert.match(again.text, /still running .* not started again/);
  });

  it('[S8] one that cannot be started is not executed, and nothing ends late', async () => {
    await open();
    const answer = await world.call('runCommand', { argv: ['/missing'], background: true });
    assert.deepEqual([answer.outcome, answer.reason], ['not_executed', 'refused_by_tool']);
    assert.equal(lateEnds.length, 0);
  });

  it('[S8] after its owner was killed it is unresolved, its process is named, and the truth is told to who asks', async () => {
    const line = await killAfterFirstLine(
      join(import.meta.dirname, 'children/backgroundOwner.ts'),
      worlds.folder.path,
      'echo line >> effect.txt; exec sleep 600',
    );
    const { actionId, outcome } = JSON.parse(line) as { actionId: string; outcome: string };
    assert.equal(outcome, 'started');
    await open();
    const orphan = await world.journal.getAction(actionId);
    const pid = pidOf(orphan);
    try {
      assert.deepEqual(membersOf(pid), [pid], 'nobody killed it with its owner');
      assert.equal(await world.unresolved(), 1);
      assert.deepEqual([orphan?.outcome, orphan?.orphanedAt === null], ['started', false]);
      const waiting = world.call('runCommand', { command: 'true' });
      const review = await world.raised();
      const [named] = review.decision.actions;
      assert.ok(named);
      assert.match(
        actionText(named, say, Date.now()),
        new RegExp(`\\(interrupted: .*; pid ${pid} may still be running\\)$`),
      );
      const { text } = await world.call('commandStatus', { id: actionId });
      assert.match(text, /^This command is not running in this window: interrupted: the window that ran it is gone\./);
      assert.match(text, new RegExp(`pid ${pid}, may still be running`));
      assert.match((await world.call('stopCommand', { id: actionId })).text, /^It was not stopped/);

      process.kill(-pid, 'SIGKILL');
      await gone(pid);
      assert.doesNotMatch((await world.call('commandStatus', { id: actionId })).text, /may still be running/);
      assert.doesNotMatch(actionText(named, say, Date.now()), /may still be running/);
      await world.answer(review, 'denied');
      await waiting;
    } finally {
      if (membersOf(pid).length > 0) {
        process.kill(-pid, 'SIGKILL');
      }
    }
  });
});

function pidOf(action: ActionRecord | undefined): number {
  const note = action?.evidence.find(({ evidence }) => evidence.kind === 'process')?.evidence;
  assert.ok(note?.kind === 'process', 'its process is recorded');
  return note.pid;
}

/** Until the kernel has let go of it; between two looks a process lives and ends. */
async function gone(pid: number): Promise<void> {
  while (membersOf(pid).length > 0) {
    await Promise.resolve();
  }
}
