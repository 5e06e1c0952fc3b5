import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

const FULL = process.env['HOLDFAST_FULL'] === '1';
const OWNERSHIPS = FULL ? 2000 : 120;
const DEATHS = FULL ? 400 : 20;
const CONTENDERS = 5;
/** The chance to die at one step. A round of owning takes about fifteen. */
const CHANCE = 0.015;

describe('[J4] Owners that acquire, die at any step and are stolen from', function () {
  this.timeout(FULL ? 600_000 : 60_000);
  const folder = useTemporaryFolder();

  it(`are never two at once, over ${OWNERSHIPS} ownerships and ${DEATHS} deaths`, async () => {
    const program = join(folder.path, 'contender.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'ownerLockContender.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: program,
      logLevel: 'error',
    });
    const port = await freePort();
    const seen = { owned: 0, released: 0, busy: 0, both: 0, deaths: 0 };
    const failures: string[] = [];
    const enough = (): boolean =>
      (seen.owned >= OWNERSHIPS && seen.deaths >= DEATHS) || seen.both > 0 || failures.length > 0;

    await Promise.all(
      Array.from({ length: CONTENDERS }, async () => {
        while (!enough()) {
          const child = spawn(process.execPath, [program, folder.path, String(port), String(CHANCE)], {
            stdio: ['ignore', 'pipe', 'pipe'],
          });
          await watch(child);
        }
      }),
    );
    console.log(
      `      ${seen.owned} ownerships by ${seen.deaths + CONTENDERS} processes, ${seen.deaths} died of SIGKILL, ${seen.busy} refusals, ${seen.both} times two owners`,
    );
    assert.deepEqual(failures, []);
    assert.equal(seen.both, 0);
    // The last word of the stress: whoever died last, the next one gets it.
    assert.ok(seen.owned >= OWNERSHIPS);

    async function watch(child: ChildProcess): Promise<void> {
      child.stdout?.setEncoding('latin1').on('data', (letters: string) => {
        for (const letter of letters) {
          seen.owned += letter === 'o' ? 1 : 0;
          seen.released += letter === 'r' ? 1 : 0;
          seen.busy += letter === 'b' ? 1 : 0;
          seen.both += letter === 'X' ? 1 : 0;
        }
        if (enough()) {
          child.kill('SIGKILL');
        }
      });
      child.stderr?.setEncoding('utf8').on('data', (text: string) => failures.push(text));
      const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
      seen.deaths += signal === 'SIGKILL' && !enough() ? 1 : 0;
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
