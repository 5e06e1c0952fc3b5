import { appendFileSync } from 'node:fs';

/**
 * Runs inside the extension host: mocha over the bundled suite files, one line of JSON per test into the result file.
 * A line `end` comes last; without it the host died on the way.
 */
export async function run(): Promise<void> {
  const resultFile = process.env['HOLDFAST_HOST_RESULT']!;
  const { files, grep } = JSON.parse(process.env['HOLDFAST_HOST_SUITE']!) as { files: string[]; grep?: string };
  const say = (line: object): void => {
    appendFileSync(resultFile, `${JSON.stringify(line)}\n`);
  };
  process.setSourceMapsEnabled(true);
  const { default: Mocha } = await import('mocha');
  const mocha = new Mocha({ ui: 'bdd', timeout: 20_000, reporter: Mocha.reporters.Base, ...(grep ? { grep } : {}) });
  for (const file of files) mocha.addFile(file);
  const failed = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.on('test', (test) => {
      say({ event: 'start', title: test.fullTitle() });
    });
    runner.on('pass', (test) => {
      say({ event: 'passed', title: test.fullTitle(), ms: test.duration });
    });
    runner.on('fail', (test, error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      say({ event: 'failed', title: test.fullTitle(), error: text });
    });
  });
  say({ event: 'end' });
  if (failed > 0) throw new Error(`${failed} failed`);
}
