import type { Ending, RunResult } from './testRun.ts';

export interface KillVerdict {
  /** `invalid`: the mutant or its run is of no use, so it says nothing about the tests. */
  readonly kind: 'killed' | 'survived' | 'invalid';
  /** The test that turned red, or why this is no kill. */
  readonly why: string;
}

/** Whether a run with a broken product shows the break: a test of that id failed by an assertion, or waited in vain. */
export function judge(id: string, { endings, finished, output }: RunResult): KillVerdict {
  const red = endings.filter(({ error }) => error !== null);
  const shown = red.find((ending) => carries(ending, id) && isVerdictOfTest(ending));
  if (shown !== undefined) {
    return { kind: 'killed', why: shown.title };
  }
  const [first] = red;
  if (first !== undefined) {
    return {
      kind: 'invalid',
      why: `broke in another way: ${first.title}: ${first.error?.name ?? ''} ${first.error?.message ?? ''}`,
    };
  }
  if (!finished || endings.length === 0) {
    return { kind: 'invalid', why: `the run came to no end:\n${output}` };
  }
  return { kind: 'survived', why: 'every test stayed green' };
}

/** What has to hold before the product is broken. @returns what does not; undefined when all is well. */
export function problemOf(id: string, file: string, { endings, output }: RunResult): string | undefined {
  const own = endings.filter((ending) => ending.file.replaceAll('\\', '/').endsWith(`/${file}`));
  const red = own.find(({ error }) => error !== null);
  if (red !== undefined) {
    return `${file} is red without the mutant: ${red.title}: ${red.error?.message ?? ''}`;
  }
  return own.some((ending) => carries(ending, id))
    ? undefined
    : `no test of ${file} that ran carries [${id}]\n${output}`;
}

function carries({ title, isHook }: Ending, id: string): boolean {
  return !isHook && title.includes(`[${id}]`);
}

/** By assertion, or by the time limit of a wait; any other error may be the test's own. */
function isVerdictOfTest({ error }: Ending): boolean {
  if (error === null) {
    return false;
  }
  const { name, code, message } = error;
  const waitedInVain = code === 'ERR_MOCHA_TIMEOUT' || name === 'TimeoutError' || /\bwithin \d+ ?m?s\b/.test(message);
  return code === 'ERR_ASSERTION' || waitedInVain;
}
