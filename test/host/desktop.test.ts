import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findDesktop, installedDesktop, programOf } from './desktop.ts';
import { quiet } from './progress.ts';

describe('looking for a desktop VS Code', () => {
  let root: string;
  const file = (...path: string[]): string => {
    const full = join(root, ...path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, '');
    return full;
  };

  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'holdfast-desktop-'))));
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  it('finds the program behind a linked "code" script', () => {
    const program = file('share', 'code', 'code');
    symlinkSync(file('share', 'code', 'bin', 'code'), join(root, 'code'));
    assert.equal(programOf(join(root, 'code')), program);
    assert.deepEqual(installedDesktop({ PATH: `/nowhere:${root}` }), { executable: program, origin: 'code on PATH' });
  });

  it('finds the program inside a macOS bundle', () => {
    const program = file('Code.app', 'Contents', 'MacOS', 'Electron');
    assert.equal(programOf(file('Code.app', 'Contents', 'Resources', 'app', 'bin', 'code')), program);
  });

  it('does not take the "code" of a remote terminal for a desktop', () => {
    assert.equal(programOf(file('bin', 'remote-cli', 'code')), undefined);
  });

  it('says so when VSCODE_PATH leads nowhere', () => {
    assert.throws(() => installedDesktop({ VSCODE_PATH: join(root, 'absent') }), /VSCODE_PATH is .*absent/);
  });

  it('lets HOLDFAST_HOST decide, and refuses a wish it does not know', async () => {
    const program = file('code');
    assert.equal(await findDesktop(quiet, { HOLDFAST_HOST: 'server', VSCODE_PATH: program }), undefined);
    const wished = await findDesktop(quiet, { HOLDFAST_HOST: 'desktop', VSCODE_PATH: program });
    assert.equal(wished?.executable, program);
    await assert.rejects(findDesktop(quiet, { HOLDFAST_HOST: 'cloud' }), /HOLDFAST_HOST is "cloud"/);
  });
});
