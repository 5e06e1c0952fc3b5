import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { osAccount } from '../../src/editor/osAccount.ts';

describe('The OS account', () => {
  it('is known by its name', () => {
    assert.equal(osAccount(), userInfo().username);
  });

  it('is known by its number where it has no name, as in a container', () => {
    const nameless = (): never => {
      throw Object.assign(new Error('uv_os_get_passwd returned ENOENT'), { code: 'ENOENT' });
    };
    assert.equal(osAccount(nameless), `uid:${process.getuid?.() ?? 'unknown'}`);
  });
});
