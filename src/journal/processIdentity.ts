import { execFile } from 'node:child_process';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { codeOf } from '../core/errors.ts';

/**
 * What tells a process from another one that has the same number: when it started, in which boot of which machine, and in
 * which container. Null where the platform does not say.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal for the same process only. */
  readonly startTime: string | null;
  /** Changes with each start of the machine. */
  readonly bootId: string | null;
  /** A pid means nothing outside its namespace (Linux containers). */
  readonly pidNamespace: string | null;
  /** Stays the same over restarts; tells a rebooted machine from another one that shares the disk. */
  readonly machineId: string | null;
}

/** The identity of a running process of this machine; undefined when there is none with that pid. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const probe = probeFor(process.platform);
  const start = await probe.startOf(pid);
  return start === 'gone' ? undefined : { pid, startTime: start, ...(await probe.placeOf()) };
}

/**
 * Whether the process may still be running. What cannot be looked at from here (another machine, another container)
 * counts as running; so does a process whose start cannot be told.
 */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const probe = probeFor(process.platform);
  const here = await probe.placeOf();
  if (differ(identity.machineId, here.machineId)) {
    return true;
  }
  if (differ(identity.bootId, here.bootId)) {
    return false;
  }
  if (differ(identity.pidNamespace, here.pidNamespace)) {
    return true;
  }
  if (!signalReaches(identity.pid)) {
    return false;
  }
  const start = await probe.startOf(identity.pid);
  return start !== 'gone' && !differ(identity.startTime, start);
}

/** Two known values that are not the same. */
function differ(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other;
}

function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, under another account.
    return codeOf(error) !== 'ESRCH';
  }
}

type Place = Omit<ProcessIdentity, 'pid' | 'startTime'>;

interface Probe {
  /** When the process started; 'gone' when there is none; null when the platform does not say. */
  startOf(pid: number): Promise<string | null>;
  /** Where processes of this one's kind live. */
  placeOf(): Promise<Place>;
}

function probeFor(platform: NodeJS.Platform): Probe {
  const probes: Partial<Record<NodeJS.Platform, Probe>> = { linux, darwin: macos, win32: windows };
  return probes[platform] ?? unknown;
}

const linux: Probe = {
  async startOf(pid) {
    const stat = await textOf(`/proc/${pid}/stat`);
    return stat === null ? 'gone' : startFromStat(stat, await threadsOf(pid));
  },
  async placeOf() {
    return {
      bootId: await textOf('/proc/sys/kernel/random/boot_id'),
      pidNamespace: await readlink('/proc/self/ns/pid').catch(() => null),
      machineId: await textOf('/etc/machine-id'),
    };
  },
};

/**
 * @param stat the content of `/proc/<pid>/stat`. The command's name, in brackets, may itself hold brackets and spaces.
 * @param threads how many threads `/proc/<pid>/task` lists.
 * @returns the start in clock ticks since the boot, or 'gone' for a zombie: it waits for its parent and will not write again.
 *   While one of its threads is still inside a system call it is no zombie yet, whatever its first thread's state says.
 */
export function startFromStat(stat: string, threads: number): string {
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (state === 'Z' || state === 'X') && threads <= 1 ? 'gone' : (rest[18] ?? '');
}

async function threadsOf(pid: number): Promise<number> {
  return readdir(`/proc/${pid}/task`).then(
    (names) => names.length,
    () => 0,
  );
}

const macos: Probe = {
  async startOf(pid) {
    const line = await output('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
    return line === null ? null : startFromPs(line);
  },
  async placeOf() {
    const registry = await output('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']);
    return {
      bootId: await output('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']),
      pidNamespace: null,
      machineId: /"IOPlatformUUID" = "([^"]+)"/.exec(registry ?? '')?.[1] ?? null,
    };
  },
};

/** @param line what `ps -o stat=,lstart=` prints: `Ss   Mon Nov 10 09:00:00 2025`, or nothing for a pid that is free. */
export function startFromPs(line: string): string {
  const match = /^(\S+)\s+(\S.*)$/.exec(line.trim());
  return match?.[1] === undefined || match[2] === undefined || match[1].startsWith('Z') ? 'gone' : match[2];
}

const windows: Probe = {
  async startOf(pid) {
    const script = `$p = Get-Process -Id ${pid} -ErrorAction SilentlyContinue; if ($p) { if ($p.StartTime) { $p.StartTime.ToFileTimeUtc() } else { 'unknown' } } else { 'gone' }`;
    const start = await output('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script]);
    return start === 'unknown' ? null : start;
  },
  async placeOf() {
    const key = await output('reg.exe', ['query', 'HKLM\\SOFTWARE\\Microsoft\\Cryptography', '/v', 'MachineGuid']);
    return {
      // The start time of a Windows process is a date, unique over boots; the boot's own date shifts when the clock is set.
      bootId: null,
      pidNamespace: null,
      machineId: /MachineGuid\s+REG_SZ\s+(\S+)/.exec(key ?? '')?.[1] ?? null,
    };
  },
};

const unknown: Probe = {
  startOf: (pid) => Promise.resolve(signalReaches(pid) ? null : 'gone'),
  placeOf: () => Promise.resolve({ bootId: null, pidNamespace: null, machineId: null }),
};

/** A file's trimmed content; null when it is empty or cannot be read. */
async function textOf(file: string): Promise<string | null> {
  const text = await readFile(file, 'latin1').catch(() => '');
  return text.trim() === '' ? null : text.trim();
}

/** What a program printed, in English and trimmed; null when it could not be run. `ps` fails for a free pid and prints nothing. */
function output(program: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, LC_ALL: 'C' }, timeout: 10_000, windowsHide: true };
    execFile(program, args, options, (error, stdout) => {
      resolve(error !== null && typeof error.code !== 'number' ? null : stdout.trim());
    });
  });
}
