import { layers, runLayer, type LayerResult } from './layers.ts';
import { runCommand } from './support/runCommand.ts';

/**
 * `npm test`: every layer in its quick form, quick ones first, summed up in the last line. `npm run test:full` adds
 * `--full` for the long form; `--only=unit,contract` runs some layers; what follows `--grep=` chooses tests by title.
 */
const options = process.argv.slice(2);
const only = valueOf('--only')?.split(',');
const unknown = only?.filter((name) => !layers.some((layer) => layer.name === name)) ?? [];
if (unknown.length > 0) {
  throw new Error(`No such layer: ${unknown.join(', ')}. There are: ${layers.map(({ name }) => name).join(', ')}.`);
}
const full = options.includes('--full');
if (full) {
  process.env['HOLDFAST_FULL'] = '1';
}

await runCommand('npm', ['run', '--silent', 'package']);

const results: LayerResult[] = [];
for (const layer of layers.filter(({ name, onlyInFull }) => only?.includes(name) ?? (full || onlyInFull !== true))) {
  const startedAt = performance.now();
  console.log(`\n━━ ${layer.name}: ${layer.shows}`);
  const result = await runLayer(layer, valueOf('--grep'));
  results.push(result);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`━━ ${layer.name}: ${result.passed} passed, ${result.failed} failed, ${seconds} s`);
}

const sum = (count: (result: LayerResult) => number): number => results.reduce((total, one) => total + count(one), 0);
const passed = sum((one) => one.passed);
const failed = sum((one) => one.failed);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

function valueOf(option: string): string | undefined {
  return options.find((given) => given.startsWith(`${option}=`))?.slice(option.length + 1);
}
