import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  identifyProcess,
  isAlive,
  startFromPs,
  startFromStat,
  type ProcessIdentity,
} from '../../src/journal/processIdentity.ts';

describe('The identity of a process', () => {
  const children: ChildProcess[] = [];

  afterEach(async () => {
    for (const child of children.splice(0)) {
      await end(child);
    }
  });

  async function sleeper(): Promise<{ readonly child: ChildProcess; readonly pid: number }> {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    children.push(child);
    await once(child, 'spawn');
    return { child, pid: child.pid! };
  }

  async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
  }

  async function own(): Promise<ProcessIdentity> {
    return (await identifyProcess(process.pid))!;
  }

  it('[J4] a running process is alive, and stays the same when asked twice', async () => {
    const { pid } = await sleeper();
    const identity = await identifyProcess(pid);
    assert.deepEqual(await identifyProcess(pid), identity);
    assert.ok(await isAlive(identity!));
  });

  it('[J4] a killed process is not', async () => {
    const { child, pid } = await sleeper();
    const identity = (await identifyProcess(pid))!;
    await end(child);
    assert.equal(await isAlive(identity), false);
    assert.equal(await identifyProcess(pid), undefined);
  });

  it('[J4] the same pid with another start time is another process', async () => {
    const self = await own();
    assert.ok(self.startTime !== null);
    assert.equal(await isAlive({ ...self, startTime: '1' }), false);
  });

  it('[J4] what was written in another boot of this machine is gone, whatever its namespace', async () => {
    const self = await own();
    assert.equal(await isAlive({ ...self, bootId: 'another', pidNamespace: 'pid:[1]' }), process.platform === 'win32');
  });

  it('[J4] what cannot be looked at from here counts as alive: another container, another machine', async () => {
    const dead = { ...(await own()), pid: 2 ** 22 + 1 };
    assert.equal(await isAlive(dead), false);
    if (dead.pidNamespace !== null) {
      assert.ok(await isAlive({ ...dead, pidNamespace: 'pid:[1]' }));
    }
    if (dead.machineId !== null) {
      assert.ok(await isAlive({ ...dead, machineId: 'another', bootId: 'another' }));
    }
  });

  it('an identity that knows only the pid goes by the pid', async () => {
    const bare = { startTime: null, bootId: null, pidNamespace: null, machineId: null };
    assert.ok(await isAlive({ ...bare, pid: process.pid }));
    assert.equal(await isAlive({ ...bare, pid: 2 ** 22 + 1 }), false);
  });

  it('reads a start time out of /proc/<pid>/stat, also where the command’s name holds brackets', () => {
    const fields = Array.from({ length: 49 }, (_, index) => String(index + 4)).join(' ');
    assert.equal(startFromStat(`4711 (a) b) (c)) S ${fields}`, 1), '22');
  });

  it('a zombie is gone, unless one of its threads is still inside a system call', () => {
    const fields = Array.from({ length: 49 }, (_, index) => String(index + 4)).join(' ');
    assert.equal(startFromStat(`4711 (node) Z ${fields}`, 1), 'gone');
    assert.equal(startFromStat(`4711 (node) Z ${fields}`, 2), '22');
  });

  it('reads a start time out of what ps prints on macOS', () => {
    assert.equal(startFromPs('Ss   Mon Nov 10 09:00:00 2025'), 'Mon Nov 10 09:00:00 2025');
    assert.equal(startFromPs('Z    Mon Nov 10 09:00:00 2025'), 'gone');
    assert.equal(startFromPs(''), 'gone');
  });
});
