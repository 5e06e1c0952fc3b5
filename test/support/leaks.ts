import assert from 'node:assert/strict';
import { trackDisposables, type Disposable } from '../../src/core/disposable.ts';

/** Mocha root hooks: every test must let go of every disposable it made. Loaded with `--require` by all layers. */
export const mochaHooks = ((): { beforeEach(): void; afterEach(): void } => {
  const alive = new Map<Disposable, string>();
  return {
    beforeEach() {
      alive.clear();
      trackDisposables({
        created: (disposable) => alive.set(disposable, new Error('was created').stack ?? ''),
        disposed: (disposable) => alive.delete(disposable),
      });
    },
    afterEach() {
      trackDisposables(undefined);
      assert.equal(alive.size, 0, `Disposables left over:\n${[...alive.values()].join('\n\n')}`);
    },
  };
})();
