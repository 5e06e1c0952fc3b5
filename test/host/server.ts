import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { InstalledHost } from './install.ts';
import { commandLine, descendants, untilGone } from './processes.ts';

export interface ServerOptions {
  readonly host: InstalledHost;
  /** Everything the server writes. Keep it, and the port that is remembered in it, to find the same storage again. */
  readonly dataDir: string;
  /** A folder from `installedExtensions`. */
  readonly extensionsDir: string;
  /** Added to the environment of the extension hosts. `undefined` takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Workspace trust is asked for only where trust itself is tested. Default false. */
  readonly workspaceTrust?: boolean;
}

/** A running VS Code server on the loopback interface. */
export interface Server {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** What the server has printed so far. */
  output(): string;
  /** Settles when the server process ends, by whatever cause. */
  readonly ended: Promise<void>;
  /** Stops the server and waits until it and all its children (the extension hosts) are gone. */
  stop(): Promise<void>;
}

/** Long enough for extensions to deactivate (they share five seconds). */
const STOP_MS = 10_000;
const START_MS = 60_000;
const PORT_FILE = 'port';

/** Starts the server build. The port is chosen once per data folder: workspace storage depends on it. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const port = await fixedPort(options.dataDir);
  const child = spawn(options.host.node, [options.host.serverMain, ...argumentsOf(options, port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(options.env),
    // Out of the terminal's process group: Ctrl+C must stop us first, so that we can stop it in an orderly way.
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const killAtExit = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', killAtExit);
  child.once('exit', () => process.removeListener('exit', killAtExit));
  await untilListening(child, () => output);
  const pid = child.pid!;
  const ended = child.exitCode === null ? once(child, 'exit').then(() => undefined) : Promise.resolve();
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    pid,
    dataDir: options.dataDir,
    output: () => output,
    ended,
    stop: () => stopTree(child, pid),
  };
}

function argumentsOf(options: ServerOptions, port: number): string[] {
  return [
    ...['--host', '127.0.0.1', '--port', String(port), '--without-connection-token', '--accept-server-license-terms'],
    ...['--server-data-dir', options.dataDir, '--extensions-dir', options.extensionsDir, '--telemetry-level', 'off'],
    ...(options.workspaceTrust ? [] : ['--disable-workspace-trust']),
  ];
}

/** Ours, without what a surrounding VS Code terminal put there: the server would take it for its own. */
function environment(changes: ServerOptions['env']): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VSCODE|ELECTRON)_|^NODE_OPTIONS$/.test(name));
  return { ...Object.fromEntries(inherited), ...changes };
}

/** The port that this data folder was served on last, if it ever was. */
export function rememberedPort(dataDir: string): number | undefined {
  const file = join(dataDir, PORT_FILE);
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
}

async function fixedPort(dataDir: string): Promise<number> {
  const remembered = rememberedPort(dataDir);
  const port = (remembered === undefined ? undefined : await bindable(remembered)) ?? (await bindable(0));
  if (port === undefined) throw new Error('No free port on 127.0.0.1.');
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, PORT_FILE), String(port));
  return port;
}

/** The port number if it can be bound now (0: any), else undefined. */
async function bindable(port: number): Promise<number | undefined> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
    return (probe.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    await new Promise((resolve) => probe.close(resolve));
  }
}

async function untilListening(child: ChildProcess, output: () => string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (what: string): void => {
      reject(new Error(`The VS Code server ${what}:\n${output().slice(-4000)}`));
    };
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`did not listen within ${START_MS / 1000} s`);
    }, START_MS);
    child.stdout!.on('data', () => {
      if (!output().includes('Extension host agent listening')) return;
      clearTimeout(limit);
      resolve();
    });
    child.once('error', (error) => {
      clearTimeout(limit);
      fail(`could not be started (${error.message})`);
    });
    child.once('exit', (code, signal) => {
      clearTimeout(limit);
      fail(`ended early with ${code ?? signal ?? 'no code'}`);
    });
  });
}

async function stopTree(child: ChildProcess, pid: number): Promise<void> {
  // Asked before the server ends: afterwards its children belong to init.
  const tree = [pid, ...descendants(pid)];
  child.kill('SIGTERM');
  await untilGone([pid], STOP_MS);
  // Only extension hosts have something to finish; the terminal and watcher helpers would linger for seconds.
  tree.filter((one) => /--type=(ptyHost|fileWatcher|agentHost)/.test(commandLine(one))).forEach(killNow);
  (await untilGone(tree, STOP_MS)).forEach(killNow);
  await untilGone(tree, STOP_MS);
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in the meantime.
  }
}
