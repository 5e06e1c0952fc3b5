import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordingCall } from '../../support/toolCall.ts';
import { describePosix, Lifeline, makeFifo, membersOf, PacedClock, run, withLife, useWorkspace } from './harness.ts';
import { makeTool } from './makeTool.ts';
import { DRAIN_MS } from '../../../src/tools/shell/runCommand.ts';

describe('How a command ends', () => {
  const folder = useWorkspace();

  for (const code of [0, 1, 2, 124, 126, 127, 255]) {
    it(`[S1] reports exit code ${code} as an exit`, async () => {
      const call = new RecordingCall();
      const { observed, text } = await run(makeTool(folder.path), { command: `exit ${code}` }, call);
      assert.deepEqual(observed, { kind: 'exited', code });
      assert.match(text, new RegExp(`^Exit code ${code}\\.\\n`));
      assert.deepEqual(call.note('exit'), { kind: 'exit', code });
      assert.deepEqual(
        call.notes.map((note) => note.kind),
        ['process', 'exit'],
      );
      assert.equal(call.boundaries, 1);
    });
  }

  it('[S1] runs argv without a shell, its arguments untouched', async () => {
    const argv = [
      process.execPath,
      '-e',
      'console.log(JSON.stringify(process.argv.slice(1)))',
      'a b',
      '$HOME',
      '"',
      "'",
    ];
    const { text, observed } = await run(makeTool(folder.path), { argv }, new RecordingCall());
    assert.deepEqual(observed, { kind: 'exited', code: 0 });
    assert.ok(text.includes(JSON.stringify(argv.slice(3))), text);
  });

  it('[S1] puts nothing of the command, its output or its errors into evidence', async () => {
    const tool = makeTool(folder.path);
    const call = new RecordingCall();
    const program = 'console.log("planted"); console.error("planted"); process.stdout.write("planted".repeat(200_000))';
    await run(tool, { argv: [process.execPath, '-e', program, 'planted'] }, call);
    assert.deepEqual(
      call.notes.map((note) => note.kind),
      ['process', 'exit', 'output_truncated'],
    );
    assert.ok(!JSON.stringify(call.notes).includes('planted'));
  });

  describePosix('on POSIX', () => {
    it('[S1] names the process by pid, start time and boot as soon as it runs', async () => {
      const life = new Lifeline(folder.path);
      const go = makeFifo(folder.path, 'go');
      const call = new RecordingCall();
      const running = run(
        withLife(folder.path, life),
        { command: 'exec 9>"$LIFE"; echo ready >&9; read _ < go; exit 5' },
        call,
      );
      await life.wrote('ready');
      const note = call.note('process');
      assert.ok(note !== undefined && membersOf(note.pid).includes(note.pid), 'noted while it runs');
      if (process.platform === 'linux') {
        const stat = readFileSync(`/proc/${note.pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
        assert.equal(note.startTime, stat?.[19]);
        assert.equal(note.bootId, readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
      }
      await writeFile(go, '\n');
      assert.deepEqual((await running).observed, { kind: 'exited', code: 5 });
    });

    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      it(`[S4] reports a command that ${signal} from outside ended as signalled, its end as unknown`, async () => {
        const life = new Lifeline(folder.path);
        const call = new RecordingCall();
        const running = run(
          withLife(folder.path, life),
          { command: 'exec 9>"$LIFE"; echo ready >&9; exec sleep 600' },
          call,
        );
        await life.wrote('ready');
        process.kill(call.note('process')!.pid, signal);
        const { observed, text } = await running;
        assert.deepEqual(observed, { kind: 'signalled', signal });
        assert.deepEqual(call.note('signal'), { kind: 'signal', signal });
        assert.equal(call.note('exit'), undefined);
        assert.equal(call.note('stopped'), undefined);
        assert.match(
          text,
          new RegExp(`^Ended by ${signal}, which Holdfast did not send\\. Partial effects are possible; .* unknown\\.`),
        );
      });
    }

    it('[S4] takes a dash that exits 137 by itself, after its child was killed, as an exit with a note', async function () {
      const shell = '/bin/dash';
      if (!existsSync(shell)) {
        this.skip();
      }
      const life = new Lifeline(folder.path);
      const call = new RecordingCall();
      const command = 'exec 9>"$LIFE"; sleep 600 & echo "child $!." >&9; wait $!';
      const running = run(withLife(folder.path, life, { shell: () => shell }), { command }, call);
      const child = (await life.wrote('.')).split(' ')[1];
      process.kill(Number.parseInt(child ?? '', 10), 'SIGKILL');
      const { observed, text } = await running;
      assert.deepEqual(observed, { kind: 'exited', code: 137 });
      assert.deepEqual(call.note('exit_like_signal'), { kind: 'exit_like_signal', code: 137, signal: 'SIGKILL' });
      assert.equal(call.note('signal'), undefined);
      assert.match(text, /^Exit code 137\./);
      assert.match(text, /Note: The shell itself exited, with code 137; that usually means that SIGKILL ended/);
    });

    it('[S1] ends at the exit when a child in the background holds the output, and lets that child live', async () => {
      const life = new Lifeline(folder.path);
      const clock = new PacedClock();
      const call = new RecordingCall();
      const command = 'exec 9>"$LIFE"; (cat && echo lived > lived) < go & echo early; exit 3';
      const go = makeFifo(folder.path, 'go');
      const drainArmed = clock.armedWith(DRAIN_MS);
      const running = run(withLife(folder.path, life, { clock }), { command }, call);
      await drainArmed;
      clock.advance(DRAIN_MS);
      const { observed, text } = await running;
      assert.deepEqual(observed, { kind: 'exited', code: 3 });
      assert.deepEqual(call.note('background_child'), { kind: 'background_child' });
      assert.match(
        text,
        /^Exit code 3\.\n\nearly\n\nNote: A process that the command started in the background is still running/,
      );
      // More than a pipe holds: it would block, or die of SIGPIPE, if nobody read on.
      await writeFile(go, 'y\n'.repeat(150_000));
      await life.ended();
      assert.equal(readFileSync(join(folder.path, 'lived'), 'utf8'), 'lived\n');
      assert.ok(!text.includes('y\ny'));
    });

    it('[S1] does not take a zombie for a background child', async function () {
      if (process.platform !== 'linux') {
        this.skip();
      }
      const life = new Lifeline(folder.path);
      const go = makeFifo(folder.path, 'go');
      const call = new RecordingCall();
      const hold = makeFifo(folder.path, 'hold');
      // A process that leaves the group and never collects its child, which stays in the group as a zombie.
      const leaver = '(read _ < hold) & echo "$$." >&9; exec setsid sleep 600';
      const command = `exec 9>"$LIFE"; sh -c '${leaver}' >/dev/null 2>&1 & read _ < go; exit 0`;
      const running = run(withLife(folder.path, life), { command }, call);
      const left = Number.parseInt(await life.wrote('.'), 10);
      try {
        await until(() => membersOf(left).includes(left));
        await writeFile(hold, '\n');
        await until(() => membersOf(call.note('process')!.pid).length === 1);
        await writeFile(go, '\n');
        assert.deepEqual((await running).observed, { kind: 'exited', code: 0 });
        assert.equal(call.note('background_child'), undefined);
      } finally {
        process.kill(left, 'SIGKILL');
      }
    });

    it('[S1] mentions a background child that let go of the output', async () => {
      const life = new Lifeline(folder.path);
      const call = new RecordingCall();
      const command = 'exec 9>"$LIFE"; sleep 600 >/dev/null 2>&1 & exit 0';
      const { observed, text } = await run(withLife(folder.path, life), { command }, call);
      assert.deepEqual(observed, { kind: 'exited', code: 0 });
      assert.deepEqual(call.note('background_child'), { kind: 'background_child' });
      assert.match(text, /still running/);
      process.kill(-call.note('process')!.pid, 'SIGKILL');
      await life.ended();
    });
  });

  /** Asks again and again: nobody tells of a change in the process table. */
  async function until(isReached: () => boolean): Promise<void> {
    while (!isReached()) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
});
