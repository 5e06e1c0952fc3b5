import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const folder = import.meta.dirname;

export function patchFile(patch: string): string {
  return join(folder, patch);
}

export interface PatchText {
  /** The lines before the diff: what it breaks, and what must turn red. */
  readonly head: string;
  /** The files that it changes, relative to the checkout. */
  readonly changes: readonly string[];
}

export function readPatch(patch: string): PatchText {
  const text = readFileSync(patchFile(patch), 'utf8');
  return {
    head: text.slice(0, Math.max(0, text.indexOf('\ndiff --git '))).trim(),
    changes: [...text.matchAll(/^\+\+\+ b\/(.+?)\r?$/gm)].map(([, file]) => file ?? ''),
  };
}

/**
 * Applies a patch to a checkout or a copy of one.
 * @param how `check` changes nothing, `reverse` takes it out again.
 * @throws an error that says how to renew a patch that does not fit any more.
 */
export async function applyPatch(checkout: string, patch: string, how?: 'check' | 'reverse'): Promise<void> {
  const options = how === undefined ? [] : [`--${how}`];
  // A repository around the checkout would take the patch's paths for its own.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(resolve(checkout)) };
  try {
    await promisify(execFile)('git', ['apply', ...options, patchFile(patch)], { cwd: checkout, env });
  } catch (cause) {
    const message =
      `test/mutants/${patch} does not apply any more. Make the same mistake in today's source, ` +
      'put `git diff -U1` of that one file below the first lines of the patch, and take the mistake out again.';
    throw new Error(message, { cause });
  }
}
