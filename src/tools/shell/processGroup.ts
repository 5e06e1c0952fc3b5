import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { win32 } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { codeOf } from '../../core/errors.ts';
import { ACTION_VARIABLE, type ProcessEnvironment } from './environment.ts';
import { listProcesses, pidsWithVariable, withDescendants, type ProcessRow } from './processTable.ts';
import type { RunningCommand } from './runningCommand.ts';

/** How long a group may take to end after SIGTERM, and again after SIGKILL, in milliseconds. */
export const GRACE_MS = 2000;

/** The same while the editor shuts down: all its extensions share five seconds. */
export const SHUTDOWN_GRACE_MS = 500;

/** How often is looked whether a group without a leader is gone: nobody tells us. Milliseconds. */
export const POLL_MS = 50;

/** The processes of one command: the group whose leader we spawned, and those that we can tell have left it. */
export class ProcessGroup {
  readonly #leader: RunningCommand;
  readonly #actionId: string;
  readonly #clock: Clock;
  readonly #environment: ProcessEnvironment;

  constructor(leader: RunningCommand, actionId: string, clock: Clock, environment: ProcessEnvironment) {
    this.#leader = leader;
    this.#actionId = actionId;
    this.#clock = clock;
    this.#environment = environment;
  }

  /**
   * Ends the whole group: SIGTERM, a grace, SIGKILL; on Windows the tree at once. Returns when it is gone, at the latest
   * after two graces.
   * @param graceMs how long the group may take to end, each time.
   * @returns the pids that are still alive: they left the group, belong to another user or hang in the kernel. They are
   * named and not hunted: who leaves a group on purpose may be meant to stay (S5).
   */
  async stop(graceMs: number): Promise<readonly number[]> {
    if (this.#environment.platform === 'win32') {
      return await this.#stopWindowsTree(graceMs);
    }
    // Before the kill: afterwards orphans belong to init and nobody can tell whose they were.
    const family = withDescendants(await this.#list(), this.#leader.pid);
    this.#signal('SIGTERM');
    if (!(await this.#goneWithin(graceMs))) {
      this.#signal('SIGKILL');
      await this.#goneWithin(graceMs);
    }
    return await this.#survivors(family);
  }

  /** Whether a process of the group is alive. Windows has no groups: false. */
  async hasMembers(): Promise<boolean> {
    const { pid } = this.#leader;
    if (this.#environment.platform === 'win32' || !this.#signal(0)) {
      return false;
    }
    // A signal also reaches zombies, which init may be slow to collect.
    const rows = await this.#list();
    return rows.length === 0 || rows.some((row) => row.group === pid);
  }

  async #goneWithin(limitMs: number): Promise<boolean> {
    const end = this.#clock.monotonic() + limitMs;
    for (;;) {
      const seen = this.#leader.changes;
      if (this.#leader.exit !== undefined && !(await this.hasMembers())) {
        return true;
      }
      const left = end - this.#clock.monotonic();
      if (left <= 0) {
        return false;
      }
      await this.#leader.waitFor(() => this.#leader.changes !== seen, {
        clock: this.#clock,
        limitMs: Math.min(left, POLL_MS),
      });
    }
  }

  async #survivors(family: readonly ProcessRow[]): Promise<readonly number[]> {
    const marked = new Set(await pidsWithVariable(this.#environment.platform, `${ACTION_VARIABLE}=${this.#actionId}`));
    const known = new Set(family.map(nameOf));
    return (await this.#list())
      .filter((row) => row.group === this.#leader.pid || marked.has(row.pid) || known.has(nameOf(row)))
      .map((row) => row.pid);
  }

  /** @returns whether the group exists. One that we may not signal does. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.#leader.pid, signal);
    } catch (error) {
      return codeOf(error) === 'EPERM';
    }
  }

  /** The process table; empty where it cannot be read, which must not keep anything from being stopped. */
  async #list(): Promise<readonly ProcessRow[]> {
    try {
      return await listProcesses(this.#environment.platform);
    } catch {
      return [];
    }
  }

  async #stopWindowsTree(graceMs: number): Promise<readonly number[]> {
    const { SystemRoot: root = 'C:\\Windows' } = this.#environment.variables();
    const { pid } = this.#leader;
    const taskkill = spawn(win32.join(root, 'System32', 'taskkill.exe'), ['/PID', String(pid), '/T', '/F'], {
      stdio: 'ignore',
      windowsHide: true,
    });
    try {
      await once(taskkill, 'exit');
    } catch {
      // Without taskkill at least the process itself can be ended.
      this.#leader.kill();
    }
    const exited = (): boolean => this.#leader.exit !== undefined;
    const how = await this.#leader.waitFor(exited, { clock: this.#clock, limitMs: graceMs });
    return how === 'reached' ? [] : [pid];
  }
}

function nameOf(row: ProcessRow): string {
  return `${row.pid}@${row.startTime}`;
}
