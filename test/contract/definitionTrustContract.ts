import assert from 'node:assert/strict';
import type { DefinitionsTrusted } from '../../src/journal/definitionTrust.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function definitionTrustContract(makeHarness: MakeHarness): void {
  describe('trust in definitions', () => {
    const stage = useJournal(makeHarness);

    const trust = (
      hashes: Readonly<Record<string, string>>,
      overrides: Partial<DefinitionsTrusted> = {},
    ): Promise<void> =>
      stage().journal.trustDefinitions({
        user: 'alice',
        server: 'mail',
        definitions: Object.entries(hashes).map(([name, definitionHash]) => ({ name, definitionHash })),
        by: 'alice',
        ...overrides,
      });

    const trusted = async (user = 'alice', server = 'mail', journal = stage().journal): Promise<object> => {
      const definitions = await journal.listTrustedDefinitions({ user, server });
      return Object.fromEntries(definitions.map(({ name, definitionHash }) => [name, definitionHash]));
    };

    it('[M3] is kept by user, server and tool, with the definition as it was, and outlives its owner', async () => {
      assert.deepEqual(await trusted(), {});
      await trust({ send: 'a', 'list.all': 'b', '{"odd"}': 'c' });
      await trust({ send: 'other' }, { server: 'mail2' });
      await trust({ send: 'bobs' }, { user: 'bob', by: 'bob' });
      assert.deepEqual(await trusted(), { send: 'a', 'list.all': 'b', '{"odd"}': 'c' });
      assert.deepEqual(await trusted('alice', 'mail2'), { send: 'other' });
      assert.deepEqual(await trusted('bob'), { send: 'bobs' });
      assert.deepEqual(await trusted('alice', 'mail', await stage().harness.reopen()), {
        send: 'a',
        'list.all': 'b',
        '{"odd"}': 'c',
      });
    });

    it('[M3] is replaced as a whole, may be given again to what was trusted before, and may be given to nothing', async () => {
      await trust({ send: 'a', read: 'r' });
      await trust({ send: 'b' });
      assert.deepEqual(await trusted(), { send: 'b' });
      await trust({ send: 'a' });
      await trust({ send: 'a' });
      assert.deepEqual(await trusted(), { send: 'a' });
      await trust({});
      assert.deepEqual(await trusted(), {});
    });
  });
}
