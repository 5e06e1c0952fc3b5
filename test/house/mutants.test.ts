import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { mutants } from '../mutants/list.ts';
import { applyPatch, readPatch } from '../mutants/patches.ts';

/** What the tests claim to show, and each has one small change of the product that turns them red. */
const SHOWN = [
  ...[
    'G1',
    'G2',
    'G3',
    'G4',
    'G5',
    'G6',
    'G7',
    'G9',
    'G10',
    'G11',
    'G12',
    'G13',
    'G14',
    'G15',
    'G16',
    'G17',
    'G19',
    'G20',
    'G21',
    'G22',
  ],
  ...['S1', 'S2', 'S3', 'S4', 'S5', 'S6', 'S7', 'S9'],
  ...['M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M7', 'M8', 'M9', 'M10', 'M11'],
  ...['C2', 'C3', 'C4', 'C5', 'C6', 'C7', 'C8', 'C9', 'C10', 'C12', 'C14', 'C16', 'C17'],
  ...['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8', 'R9', 'R10', 'R11', 'P8'],
  ...['J1', 'J2', 'J3', 'J4', 'U1', 'U3', 'P3', 'P4', 'P9', 'P10', 'P11', 'P15'],
];

describe('The mutants', () => {
  it('break every id that is shown', () => {
    const broken = new Set(mutants.map(({ id }) => id));
    assert.deepEqual(
      SHOWN.filter((id) => !broken.has(id)),
      [],
    );
  });

  for (const { patch } of mutants) {
    it(`${patch} applies to the sources as they are`, async () => {
      await applyPatch('.', patch, 'check');
    });
  }

  it('each change one file of the product, and say first what they break and which tests must turn red', () => {
    for (const { id, patch, shownBy } of mutants) {
      const { head, changes } = readPatch(patch);
      assert.equal(changes.length, 1, patch);
      assert.match(changes[0]!, /^src\//, patch);
      assert.match(head, new RegExp(`^Breaks .*\\b${id}\\b`), patch);
      for (const file of Object.values(shownBy).flat()) {
        assert.ok(head.includes(file) && existsSync(file), `${patch}: ${file}`);
      }
    }
  });

  it('are all in the list, once, under the id that their names begin with', () => {
    const patches = readdirSync('test/mutants').filter((name) => name.endsWith('.patch'));
    assert.deepEqual(mutants.map(({ patch }) => patch).sort(), patches.sort());
    assert.deepEqual(
      mutants.filter(({ id, patch }) => !patch.startsWith(`${id}-`)),
      [],
    );
  });
});
