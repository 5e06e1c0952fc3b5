import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A copy of the checkout as it stands, outside it, in which the product may be broken. */
export class ScratchCopy {
  readonly path: string;

  /** @param checkout what git knows or does not ignore is copied; installed packages are linked. */
  constructor(checkout: string) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-mutants-')));
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: checkout,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    for (const file of listed.split('\0')) {
      // A tracked file that was deleted is still listed, and so are packages that are linked themselves.
      if (file !== '' && file !== 'node_modules' && existsSync(join(checkout, file))) {
        cpSync(join(checkout, file), join(this.path, file));
      }
    }
    symlinkSync(join(checkout, 'node_modules'), join(this.path, 'node_modules'), 'junction');
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
