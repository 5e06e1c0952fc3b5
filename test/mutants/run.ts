import { applyPatch, readPatch } from './patches.ts';
import { mutantLayers, mutants, type Mutant, type MutantLayer } from './list.ts';
import { ScratchCopy } from './scratchCopy.ts';
import { packageExtension, runTests, type RunResult } from './testRun.ts';
import { TypeCheck } from './typeCheck.ts';
import { judge, problemOf, type KillVerdict } from './verdict.ts';

/**
 * `npm run test:mutants`: breaks the product in one small way after the other and looks whether the tests notice.
 * `--only=G6,S2` takes the mutants of some ids, `--layer=contract` only what that layer shows.
 */
const only = valueOf('--only')?.split(',');
const onlyLayer = valueOf('--layer');
const layers = mutantLayers.filter((layer) => onlyLayer === undefined || layer === onlyLayer);
const unknown = only?.filter((id) => !mutants.some((mutant) => mutant.id === id)) ?? [];
const chosen = mutants
  .filter(({ id }) => only?.includes(id) ?? true)
  .filter(({ shownBy }) => layers.some((layer) => shownBy[layer] !== undefined));
if (unknown.length > 0 || chosen.length === 0) {
  throw new Error(`No such mutant: ${unknown.join(', ') || (onlyLayer ?? '')}. See test/mutants/list.ts.`);
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted.abort(new Error(`Ended by ${signal}`));
  });
}

const labels = { killed: 'killed  ', survived: 'SURVIVED', invalid: 'INVALID ' };
const copy = new ScratchCopy(process.cwd());
const counts = { passed: 0, failed: 0 };
try {
  const typeCheck = new TypeCheck(copy.path);
  const unbroken = new Map<MutantLayer, RunResult>();
  for (const layer of layers) {
    unbroken.set(layer, await runUnbroken(layer));
  }
  for (const mutant of chosen) {
    await tryMutant(mutant, typeCheck, unbroken);
  }
} finally {
  copy.remove();
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;

/** All tests that mutants of a layer ask for, in one run: what is red already shows nothing. */
async function runUnbroken(layer: MutantLayer): Promise<RunResult> {
  const concerned = chosen.filter(({ shownBy }) => shownBy[layer] !== undefined);
  if (concerned.length === 0) {
    return { endings: [], finished: true, output: '' };
  }
  const files = new Set(concerned.flatMap(({ shownBy }) => shownBy[layer] ?? []));
  const ids = new Set(concerned.flatMap(({ id, after = [] }) => [id, ...after]));
  if (layer === 'e2e') {
    const problem = await packageExtension(copy.path, interrupted.signal);
    if (problem !== undefined) {
      return { endings: [], finished: false, output: problem };
    }
  }
  const selection = { files: [...files], ids: [...ids], stopAtFirst: false, limitMs: 2 * limitOf(layer) };
  const result = await runTests(copy.path, selection, interrupted.signal);
  interrupted.signal.throwIfAborted();
  const red = result.endings.filter(({ error }) => error !== null).length;
  console.log(`${layer}, unbroken: ${result.endings.length - red} green, ${red} red`);
  return result;
}

async function tryMutant(
  mutant: Mutant,
  typeCheck: TypeCheck,
  unbroken: ReadonlyMap<MutantLayer, RunResult>,
): Promise<void> {
  const startedAt = performance.now();
  let verdict: KillVerdict;
  try {
    verdict = await withPatch(mutant, () => showBreak(mutant, typeCheck, unbroken));
  } catch (error) {
    verdict = { kind: 'invalid', why: error instanceof Error ? error.message : String(error) };
  }
  interrupted.signal.throwIfAborted();
  const { kind, why } = verdict;
  counts[kind === 'killed' ? 'passed' : 'failed']++;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${labels[kind]} ${mutant.patch.replace(/\.patch$/, '')} (${seconds} s)\n         ${why}`);
}

/** The first test file that does not notice decides: each that is listed has to. */
async function showBreak(
  { id, patch, shownBy, after = [] }: Mutant,
  typeCheck: TypeCheck,
  unbroken: ReadonlyMap<MutantLayer, RunResult>,
): Promise<KillVerdict> {
  for (const file of readPatch(patch).changes) {
    const problems = typeCheck.problemsOf(file);
    if (problems !== '') {
      return { kind: 'invalid', why: `does not compile: ${problems}` };
    }
  }
  const shown: string[] = [];
  for (const layer of layers) {
    for (const file of shownBy[layer] ?? []) {
      const problem = problemOf(id, file, unbroken.get(layer) ?? { endings: [], finished: false, output: '' });
      if (problem !== undefined) {
        return { kind: 'invalid', why: problem };
      }
      const unpackaged = layer === 'e2e' ? await packageExtension(copy.path, interrupted.signal) : undefined;
      if (unpackaged !== undefined) {
        return { kind: 'invalid', why: `does not build: ${unpackaged}` };
      }
      const selection = { files: [file], ids: [id, ...after], stopAtFirst: true, limitMs: limitOf(layer) };
      const verdict = judge(id, await runTests(copy.path, selection, interrupted.signal));
      if (verdict.kind !== 'killed') {
        return { kind: verdict.kind, why: `${file}: ${verdict.why}` };
      }
      shown.push(verdict.why);
    }
  }
  return { kind: 'killed', why: shown.join('\n         ') };
}

async function withPatch(mutant: Mutant, run: () => Promise<KillVerdict>): Promise<KillVerdict> {
  await applyPatch(copy.path, mutant.patch);
  try {
    return await run();
  } finally {
    await applyPatch(copy.path, mutant.patch, 'reverse');
  }
}

/** How long one file's tests may take, in milliseconds. */
function limitOf(layer: MutantLayer): number {
  return layer === 'e2e' ? 400_000 : 150_000;
}

function valueOf(option: string): string | undefined {
  return process.argv.find((given) => given.startsWith(`${option}=`))?.slice(option.length + 1);
}
