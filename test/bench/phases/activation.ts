import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runHostTests } from '../../host/runTests.ts';
import type { Bench } from '../bench.ts';
import { countedSpreadOf, spreadOf } from '../samples.ts';
import { ENTRY, loadedWith, readOutputs } from './bundle.ts';

/** What the suite in the extension host found. */
export interface Activation {
  /** From the line in the host's log that says it begins, until the extension is active. */
  readonly ms: number;
  /** Files of `dist/` and wasm modules that the host has loaded by then. */
  readonly loaded: readonly string[];
}

const RESULT = 'out/bench/activation.json';
/** A slow window may have activated everything before the suite can look. */
const SPARE_WINDOWS = 2;

/** Activation in a real extension host, in a fresh window each time, among the activations of VS Code's own extensions. */
export async function measureActivation({ report, effort, progress }: Bench): Promise<void> {
  const activations: Activation[] = [];
  for (let window = 0; activations.length < effort.windows && window < effort.windows + SPARE_WINDOWS; window++) {
    rmSync(RESULT, { force: true });
    const told: string[] = [];
    const { failed } = await runHostTests({
      files: [join(import.meta.dirname, '../host/activation.test.ts')],
      progress,
      print: (line) => told.push(line),
    });
    if (failed.length === 0) {
      activations.push(JSON.parse(readFileSync(RESULT, 'utf8')) as Activation);
    } else {
      progress.say(told.join('\n'));
    }
  }
  const expected = new Set(loadedWith(readOutputs(), ENTRY));
  const loaded = new Set(activations.flatMap((activation) => activation.loaded));
  const unexpected = [...loaded].filter((file) => !expected.has(file));
  report.section(`Activation in a real extension host (${activations.length} windows)`);
  report.add('activation.time', spreadOf(activations.map(({ ms }) => ms)));
  report.add('activation.filesLoaded', countedSpreadOf([loaded.size]), { unit: 'count', note: [...loaded].join(', ') });
  report.add('activation.otherFilesLoaded', countedSpreadOf([unexpected.length]), {
    unit: 'count',
    bound: 0,
    note: unexpected.join(', '),
  });
}
