import assert from 'node:assert/strict';
import { newId } from '../../../src/core/ids.ts';
import { createSay, untranslated } from '../../../src/core/messages.ts';
import type { ToolResult } from '../../../src/core/tool.ts';
import { CommandStatusTool } from '../../../src/tools/commandStatus.ts';
import { POLL_MS } from '../../../src/tools/shell/processGroup.ts';
import { MOST_IN_BACKGROUND } from '../../../src/tools/shell/runCommand.ts';
import { KEPT_ENDED, RecentCommands } from '../../../src/tools/shell/recentCommands.ts';
import { StopCommandTool } from '../../../src/tools/stopCommand.ts';
import { RecordingCall } from '../../support/toolCall.ts';
import { describePosix, Lifeline, membersOf, PacedClock, run, useWorkspace, withLife } from './harness.ts';
import { makeTool } from './makeTool.ts';

const say = createSay(untranslated);
const day = 24 * 60 * 60 * 1000;

async function untilStarted(call: RecordingCall): Promise<void> {
  while (call.earlyAnswers.length === 0) {
    await new Promise(setImmediate);
  }
}

describePosix('A command in the background', () => {
  const folder = useWorkspace();
  const holds = 'exec 9>"$LIFE"; echo up; echo ready >&9; sleep 600';

  it('[S8] answers its caller when it has started, with its pid and record, and says that its outcome is not known', async () => {
    const life = new Lifeline(folder.path);
    const clock = new PacedClock();
    const call = new RecordingCall();
    const running = run(withLife(folder.path, life, { clock }), { command: holds, background: true }, call);
    await life.wrote('ready');
    const [text] = call.earlyAnswers;
    const pid = call.note('process')?.pid ?? 0;
    assert.match(text ?? '', new RegExp(`as pid ${pid} \\(record ${call.actionId}\\); its outcome is not known yet`));
    call.stop('stopped_by_host');
    await clock.passUntil(running, POLL_MS);
  });

  it('[S8] has no time limit of its own: no timer runs for it, and a day later it still runs', async () => {
    const life = new Lifeline(folder.path);
    const clock = new PacedClock();
    const call = new RecordingCall();
    const recent = new RecentCommands();
    const running = run(withLife(folder.path, life, { clock, recent }), { command: holds, background: true }, call);
    await life.wrote('ready');
    assert.equal(clock.armed, 0);
    clock.advance(day);
    assert.equal(recent.running.length, 1);
    assert.ok(membersOf(call.note('process')!.pid).length > 0);
    call.stop('cancelled');
    await clock.passUntil(running, POLL_MS);
  });

  it('[S8] that exits by itself is observed like any other, with its code as evidence', async () => {
    const call = new RecordingCall();
    const { observed, text } = await run(makeTool(folder.path), { command: 'echo a; exit 3', background: true }, call);
    assert.equal(call.earlyAnswers.length, 1);
    assert.deepEqual(observed, { kind: 'exited', code: 3 });
    assert.deepEqual(call.note('exit'), { kind: 'exit', code: 3 });
    assert.equal(text, 'Exit code 3.\n\na');
  });

  it('[S8] that could not be started is refused and has answered nothing before', async () => {
    const call = new RecordingCall();
    const running = run(makeTool(folder.path), { argv: ['/missing'], background: true }, call);
    await assert.rejects(running, (error) => call.isRefusal(error));
    assert.deepEqual(call.earlyAnswers, []);
  });

  it('[S8] runs beside a bounded number of others: one more is refused before it starts, until one has ended', async () => {
    const tool = makeTool(folder.path);
    const begin = (): { readonly call: RecordingCall; readonly running: Promise<ToolResult> } => {
      const call = new RecordingCall();
      return { call, running: run(tool, { argv: ['sleep', '600'], background: true }, call) };
    };
    const started = Array.from({ length: MOST_IN_BACKGROUND }, begin);
    const tooMany = begin();
    await assert.rejects(tooMany.running, (error) => {
      assert.match(String(error), /runs 16 commands in the background.*Stop one with holdfast_stopCommand/);
      return tooMany.call.isRefusal(error);
    });
    assert.equal(tooMany.call.note('process'), undefined);
    assert.equal((await run(tool, { argv: ['true'] }, new RecordingCall())).observed.kind, 'exited');

    const [first, ...others] = started;
    await untilStarted(first!.call);
    first?.call.stop('cancelled');
    await first?.running;
    others.push(begin());
    for (const { call } of others) {
      await untilStarted(call);
      call.stop('cancelled');
    }
    const ends = await Promise.all(others.map(({ running }) => running));
    assert.ok(ends.every(({ observed }) => observed.kind === 'stopped'));
  });

  it('[S8] takes no time limit', () => {
    const checked = makeTool(folder.path).validate({ command: 'a', background: true, timeoutSeconds: 5 });
    assert.deepEqual(checked, {
      ok: false,
      problem:
        'A command in the background has no time limit: leave out `timeoutSeconds`, and stop the command when it is no longer needed.',
    });
    assert.equal(makeTool(folder.path).validate({ command: 'a', background: 'yes' }).ok, false);
  });

  it('[S8] is described to the person as one that runs in the background', () => {
    const tool = makeTool(folder.path, { shell: () => '/bin/sh' });
    const checked = tool.validate({ command: 'npm run dev', background: true });
    assert.ok(checked.ok);
    const how = 'in the background, without a time limit';
    assert.equal(tool.describe(checked.input), `npm run dev\nby /bin/sh, in ${folder.path}, ${how}`);
    assert.ok(tool.describeMarkdown(checked.input).includes(`, ${how}:`));
  });

  it('[S8] is listed and shown with its output while it runs, to its own session only', async () => {
    const life = new Lifeline(folder.path);
    const clock = new PacedClock();
    const call = new RecordingCall();
    const recent = new RecentCommands();
    const running = run(withLife(folder.path, life, { clock, recent }), { command: holds, background: true }, call);
    await life.wrote('ready');
    const [watch] = recent.running;
    await printed(watch!.command.output, 'up\n');
    const status = statusTool(recent, clock);
    const ask = async (input: object, as = call): Promise<string> => {
      const checked = status.validate(input);
      return checked.ok ? (await status.run(checked.input, as)).text : checked.problem;
    };
    clock.advance(5_000);
    const pid = call.note('process')?.pid ?? 0;
    assert.equal(
      await ask({ id: call.actionId }),
      `Running for 5 s as pid ${pid}; its outcome is not known yet.\n\nup`,
    );
    const line = `${call.actionId}: running for 5 s as pid ${pid}, 3 bytes printed. exec 9>"$LIFE"; echo up; echo ready >&9; sleep 600`;
    assert.equal(await ask({}), `Commands in the background, the latest first:\n${line}`);
    const stranger = new RecordingCall({ user: 'user', session: 'another' });
    assert.match(await ask({}, stranger), /^No command was started in the background/);
    assert.match(await ask({ id: call.actionId }, stranger), /^This session has no command with the record/);
    assert.match(await ask({ id: newId() }), /^This session has no command with the record/);
    call.stop('cancelled');
    await clock.passUntil(running, POLL_MS);
  });

  it('[S8] is stopped on request with all its processes; what it did by then is unknown', async () => {
    const life = new Lifeline(folder.path);
    const clock = new PacedClock();
    const call = new RecordingCall();
    const recent = new RecentCommands();
    const running = run(withLife(folder.path, life, { clock, recent }), { command: holds, background: true }, call);
    await life.wrote('ready');
    const stop = new StopCommandTool({ recent, clock, say });
    const stranger = new RecordingCall({ user: 'user', session: 'another' });
    const refused = await stop.run({ id: call.actionId }, stranger);
    assert.match(refused.text, /^It was not stopped: it is not running in this window\./);
    assert.equal(recent.running.length, 1, "another session's stop reaches nothing");

    clock.advance(2_000);
    const stopped = stop.run({ id: call.actionId }, new RecordingCall());
    const { observed } = await clock.passUntil(running, POLL_MS);
    await life.ended();
    assert.deepEqual(observed, { kind: 'stopped', cause: 'cancelled' });
    assert.deepEqual(call.note('stopped'), { kind: 'stopped', cause: 'cancelled', survivors: [] });
    const { text } = await stopped;
    assert.match(text, /^Stopped after 2 s, as asked\. Partial effects are possible; .* unknown\.\n\nup\n\n/);
    assert.match(text, /Do not repeat the call/);
    const again = await stop.run({ id: call.actionId }, new RecordingCall());
    assert.match(again.text, /^It was not stopped: it had ended/);
  });

  it('[S8] keeps the output of the last ones that ended, however many commands ran in the foreground since', async () => {
    const recent = new RecentCommands();
    const tool = makeTool(folder.path, { recent });
    const call = new RecordingCall();
    await run(tool, { command: 'echo background', background: true }, call);
    for (let round = 0; round <= KEPT_ENDED; round++) {
      await run(tool, { argv: ['true'] }, new RecordingCall());
    }
    assert.equal(recent.all.length, 1 + KEPT_ENDED);
    assert.equal(recent.find(call.actionId, call.scope)?.command.output.read(say).text, 'background\n');
  });
});

describe('The output of a command that is asked for', () => {
  const folder = useWorkspace();

  it('[S6] is bounded by what was asked, from its beginning and from its end, and says so', async () => {
    const recent = new RecentCommands();
    const program = 'process.stdout.write("b".repeat(500_000) + "e".repeat(500_000))';
    const call = new RecordingCall();
    await run(makeTool(folder.path, { recent }), { argv: [process.execPath, '-e', program] }, call);
    const status = statusTool(recent, new PacedClock());
    const { text } = await status.run({ id: call.actionId, outputBytes: 100 }, call);
    assert.match(text, /\n\nb{50}\n… 999\.9 kB left out …\ne{50}\n\n/);
    assert.match(text, /Note: 100 bytes of 1\.0 MB are shown; ask with a larger `outputBytes` for more\./);
  });

  it('[S8] says what to send instead of bad input', () => {
    const status = statusTool(new RecentCommands(), new PacedClock());
    for (const [raw, problem] of [
      [{ id: 4711 }, /^`id` must be the record/],
      [{ outputBytes: 0 }, /^`outputBytes` must be a whole number from 1 to 1048576/],
      [{ pid: 1 }, /^Leave out "pid"/],
      ['all', /^Send an object/],
    ] as const) {
      const checked = status.validate(raw);
      assert.match(checked.ok ? '' : checked.problem, problem);
    }
    const stop = new StopCommandTool({ recent: new RecentCommands(), clock: new PacedClock(), say });
    assert.equal(stop.validate({}).ok, false);
  });
});

/** The tool over a journal without records. */
function statusTool(recent: RecentCommands, clock: PacedClock): CommandStatusTool {
  const journal = { getAction: () => Promise.resolve(undefined) };
  return new CommandStatusTool({
    recent,
    journal: () => Promise.resolve(journal as never),
    platform: process.platform,
    clock,
    say,
  });
}

/** Waits until the output holds the text. */
function printed(output: RecentCommands['all'][number]['command']['output'], text: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): boolean => output.read(say).text.includes(text);
    if (look()) {
      resolve();
      return;
    }
    const subscription = output.onAppended(() => {
      if (look()) {
        subscription.dispose();
        resolve();
      }
    });
  });
}
