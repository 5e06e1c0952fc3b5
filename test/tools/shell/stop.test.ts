import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { POLL_MS } from '../../../src/tools/shell/processGroup.ts';
import { RecordingCall } from '../../support/toolCall.ts';
import { describePosix, Lifeline, membersOf, PacedClock, run, withLife, useWorkspace } from './harness.ts';

describePosix('Stopping a command', () => {
  const folder = useWorkspace();

  it('[S2] ends the whole group of a command that outlives its limit; what it did before stands once', async () => {
    const life = new Lifeline(folder.path);
    const clock = new PacedClock();
    const call = new RecordingCall();
    const command =
      'exec 9>"$LIFE"; echo line >> file; (sleep 600; echo late >> file) & echo ready >&9; sleep 600; echo late >> file';
    const running = run(withLife(folder.path, life, { clock }), { command, timeoutSeconds: 10 }, call);
    await life.wrote('ready');
    clock.advance(9_999);
    assert.equal(call.note('stopped'), undefined);
    assert.ok(membersOf(call.note('process')!.pid).length >= 2, 'the shell and its child are running');
    clock.advance(1);
    await life.ended();
    const { observed, text } = await clock.passUntil(running, POLL_MS);
    assert.deepEqual(observed, { kind: 'stopped', cause: 'timed_out' });
    assert.deepEqual(membersOf(call.note('process')!.pid), []);
    assert.deepEqual(call.note('stopped'), { kind: 'stopped', cause: 'timed_out', survivors: [] });
    assert.equal(call.note('exit'), undefined);
    assert.match(text, /^Stopped after 10 s: the time limit was reached\. Partial effects are possible; .* unknown\./);
    assert.equal(readFileSync(join(folder.path, 'file'), 'utf8'), 'line\n');
    assert.equal(clock.armed, 0);
  });

  it('[S2] counts a command that answers SIGTERM with exit code 0 as stopped, because we ended it', async () => {
    const life = new Lifeline(folder.path);
    const clock = new PacedClock();
    const call = new RecordingCall();
    const command = `trap 'exit 0' TERM; exec 9>"$LIFE"; sleep 600 & echo ready >&9; wait`;
    const running = run(withLife(folder.path, life, { clock }), { command, timeoutSeconds: 1 }, call);
    await life.wrote('ready');
    clock.advance(1_000);
    await life.ended();
    const { observed } = await clock.passUntil(running, POLL_MS);
    assert.deepEqual(observed, { kind: 'stopped', cause: 'timed_out' });
    assert.deepEqual(call.note('exit'), { kind: 'exit', code: 0 });
  });

  it('[S5] kills grandchildren that ignore SIGTERM after a grace of two seconds', async () => {
    const life = new Lifeline(folder.path);
    const clock = new PacedClock();
    const call = new RecordingCall();
    const stubborn = `trap "" TERM; echo ready >&9; while :; do sleep 600; done`;
    const command = `exec 9>"$LIFE"; sh -c '${stubborn}' & wait`;
    const running = run(withLife(folder.path, life, { clock }), { command, timeoutSeconds: 1 }, call);
    await life.wrote('ready');
    clock.advance(1_000);
    const before = clock.monotonic();
    const { observed } = await clock.passUntil(running, 4 * POLL_MS);
    await life.ended();
    assert.deepEqual(observed, { kind: 'stopped', cause: 'timed_out' });
    assert.ok(clock.monotonic() - before >= 2_000, 'the grace was given');
    assert.deepEqual(membersOf(call.note('process')!.pid), []);
    assert.deepEqual(call.note('stopped')?.survivors, []);
  });

  it('[S5] names a survivor that left the group and lets it live', async () => {
    const life = new Lifeline(folder.path);
    const clock = new PacedClock();
    const call = new RecordingCall();
    // Double-forked, so that nobody below the shell is its parent any more, and away from the output.
    const command = 'exec 9>"$LIFE"; (ESCAPE >/dev/null 2>&1 &); sleep 600';
    const escape = `${process.execPath} -e '
      const { spawn } = require("node:child_process");
      const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
      require("node:fs").writeSync(9, "escaped " + child.pid + ".");
      child.unref();'`;
    const running = run(
      withLife(folder.path, life, { clock }),
      { command: command.replace('ESCAPE', escape), timeoutSeconds: 1 },
      call,
    );
    const escaped = Number(/escaped (\d+)\./.exec(await life.wrote('.'))?.[1]);
    clock.advance(1_000);
    const { text } = await clock.passUntil(running, POLL_MS);
    try {
      assert.deepEqual(membersOf(escaped), [escaped], 'alive, in a group of its own');
      if (process.platform === 'linux') {
        assert.deepEqual(call.note('stopped')?.survivors, [escaped]);
        assert.match(text, new RegExp(`Note: Not stopped, .*: pid ${escaped}\\.`));
      }
    } finally {
      process.kill(escaped, 'SIGKILL');
    }
  });

  it('[S5] names a child that took a session of its own, also when it hid its environment', async () => {
    const life = new Lifeline(folder.path);
    const clock = new PacedClock();
    const call = new RecordingCall();
    const program = `
      const { spawn } = require("node:child_process");
      const child = spawn("/bin/sleep", ["600"], { detached: true, stdio: "ignore", env: {} });
      require("node:fs").writeFileSync(process.env.LIFE, "escaped " + child.pid + ".");`;
    const argv = [process.execPath, '-e', program];
    const running = run(withLife(folder.path, life, { clock }), { argv, timeoutSeconds: 1 }, call);
    const escaped = Number(/escaped (\d+)\./.exec(await life.wrote('.'))?.[1]);
    clock.advance(1_000);
    await clock.passUntil(running, POLL_MS);
    try {
      assert.deepEqual(call.note('stopped')?.survivors, [escaped]);
    } finally {
      process.kill(escaped, 'SIGKILL');
    }
  });

  it('[S9] ends a command that the agent cancels after its start and says that partial effects are possible', async () => {
    const life = new Lifeline(folder.path);
    const clock = new PacedClock();
    const call = new RecordingCall();
    const command = 'exec 9>"$LIFE"; echo half > file; echo ready >&9; sleep 600; echo whole > file';
    const running = run(withLife(folder.path, life, { clock }), { command }, call);
    await life.wrote('ready');
    clock.advance(3_200);
    call.stop('cancelled');
    await life.ended();
    const { observed, text } = await clock.passUntil(running, POLL_MS);
    assert.deepEqual(observed, { kind: 'stopped', cause: 'cancelled' });
    assert.equal(call.note('stopped')?.cause, 'cancelled');
    assert.match(text, /^Stopped after 3\.2 s: the call was cancelled\. Partial effects are possible/);
    assert.equal(execFileSync('cat', ['file'], { cwd: folder.path, encoding: 'utf8' }), 'half\n');
  });

  it('[S9] gives a stubborn command half a second when it is the host that stops it', async () => {
    const life = new Lifeline(folder.path);
    const clock = new PacedClock();
    const call = new RecordingCall();
    const command = 'trap "" TERM; exec 9>"$LIFE"; echo ready >&9; while :; do sleep 600; done';
    const running = run(withLife(folder.path, life, { clock }), { command }, call);
    await life.wrote('ready');
    call.stop('stopped_by_host');
    const { observed, text } = await clock.passUntil(running, POLL_MS);
    await life.ended();
    assert.deepEqual(observed, { kind: 'stopped', cause: 'stopped_by_host' });
    assert.deepEqual(call.note('signal'), { kind: 'signal', signal: 'SIGKILL' });
    assert.match(text, /^Stopped after 0 s: the editor is shutting down\./);
    assert.ok(clock.monotonic() >= 500 && clock.monotonic() < 2_000);
  });
});
