import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { descendants, run, untilGone } from '../host/processes.ts';
import { folderPrefix, removeRemains } from './postgresRemains.ts';

/** Who runs the server: PostgreSQL refuses root. Empty for "as ourselves". */
interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** A PostgreSQL server of our own: its data folder, its port and, while it runs, its process. */
export class PostgresProcess {
  readonly port: number;
  readonly #programs: string;
  readonly #folder: string;
  readonly #account: Account;
  #server: ChildProcess | undefined;

  /**
   * Makes a data folder and starts a server on it. A guard process stops the server and removes the folder when this
   * process ends, also when it is killed.
   *
   * @param programs the folder with `initdb` and `postgres`.
   * @param password of the superuser `postgres`.
   */
  static async create(programs: string, password: string): Promise<PostgresProcess> {
    await removeRemains();
    const folder = realpathSync(mkdtempSync(folderPrefix()));
    guard(folder);
    const account = await accountFor();
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    give(folder, account);
    give(passwordFile, account);
    await initialise(programs, folder, passwordFile, account);
    // The port is free now, and may be somebody else's when the server asks for it: then another one.
    for (let attempt = 1; ; attempt += 1) {
      const server = new PostgresProcess(programs, folder, account, await freePort());
      try {
        await server.start();
        return server;
      } catch (error) {
        if (attempt === 5) {
          throw error;
        }
      }
    }
  }

  constructor(programs: string, folder: string, account: Account, port: number) {
    this.#programs = programs;
    this.#folder = folder;
    this.#account = account;
    this.port = port;
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** Starts the server, unless it runs; resolves when it accepts connections. */
  async start(): Promise<void> {
    if (this.#server !== undefined) {
      return;
    }
    const log = join(this.#folder, 'server.log');
    const output = openSync(log, 'a');
    const server = spawn(join(this.#programs, 'postgres'), ['-D', this.#dataFolder, '-p', String(this.port)], {
      ...this.#account,
      cwd: this.#folder,
      stdio: ['ignore', output, output],
      // Ctrl-C is for the tests; the server is stopped by us or by the guard.
      detached: true,
    });
    closeSync(output);
    // It does not keep this process alive: the guard ends it with us.
    server.unref();
    this.#server = server;
    server.once('exit', () => {
      if (this.#server === server) {
        this.#server = undefined;
      }
    });
    const deadline = performance.now() + 60_000;
    while (!this.#isReady(server.pid)) {
      if (this.#server !== server || performance.now() > deadline) {
        throw new Error(`The PostgreSQL server did not start:\n${readFileSync(log, 'utf8').slice(-2000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Stops the server in an orderly way: its clients are told (57P01), nothing is lost. */
  async stop(): Promise<void> {
    await this.#end((pid) => {
      process.kill(pid, 'SIGINT');
    });
  }

  /** Kills the server and all its processes: its clients are not told, and it recovers from its log when started again. */
  async kill(): Promise<void> {
    await this.#end((pid) => {
      // The parent last, and unable to act before: those that notice its end would still tell their clients.
      process.kill(pid, 'SIGSTOP');
      for (const one of [...descendants(pid), pid]) {
        process.kill(one, 'SIGKILL');
      }
    });
  }

  async #end(signal: (pid: number) => void): Promise<void> {
    const server = this.#server;
    if (server?.pid === undefined) {
      return;
    }
    const children = descendants(server.pid);
    const exit = once(server, 'exit');
    server.ref();
    signal(server.pid);
    await exit;
    // Those that outlive a killed server for a moment still hold its memory, and a new one would not start.
    await untilGone(children, 10_000);
  }

  get #dataFolder(): string {
    return join(this.#folder, 'data');
  }

  /** The eighth line of the pid file says so; the first one is of which server. */
  #isReady(pid: number | undefined): boolean {
    try {
      const lines = readFileSync(join(this.#dataFolder, 'postmaster.pid'), 'utf8').split('\n');
      return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
    } catch {
      return false;
    }
  }
}

function guard(folder: string): void {
  const guard = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'postgresGuard.ts'), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  // A pipe is a socket of its own on the event loop.
  (guard.stdin as unknown as { unref(): void }).unref();
}

async function initialise(programs: string, folder: string, passwordFile: string, account: Account): Promise<void> {
  const flags = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'];
  const child = spawn(join(programs, 'initdb'), [`--pgdata=${join(folder, 'data')}`, '--locale=C', ...flags], {
    ...account,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let trouble = '';
  child.stderr.on('data', (data: Buffer) => (trouble += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    throw new Error(`initdb ended with ${code ?? 'a signal'}:\n${trouble}`);
  }
  // fsync stays on: what the tests show about acknowledged writes is shown on a server as people run it.
  const settings = {
    listen_addresses: `'127.0.0.1'`,
    unix_socket_directories: `''`,
    max_connections: '200',
    ssl: 'on',
  };
  for (const name of ['server.crt', 'server.key']) {
    const copy = join(folder, 'data', name);
    copyFileSync(join(import.meta.dirname, '../fixtures/postgres', name), copy);
    chmodSync(copy, 0o600);
    give(copy, account);
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(join(folder, 'data', 'postgresql.conf'), lines.join(''), { flag: 'a' });
}

async function accountFor(): Promise<Account> {
  if (process.getuid?.() !== 0) {
    return {};
  }
  const id = async (flag: string): Promise<number> => Number(await run('id', [flag, 'postgres']));
  return { uid: await id('-u'), gid: await id('-g') };
}

function give(path: string, { uid, gid }: Account): void {
  if (uid !== undefined && gid !== undefined) {
    chownSync(path, uid, gid);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
