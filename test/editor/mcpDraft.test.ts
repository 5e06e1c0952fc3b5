import assert from 'node:assert/strict';
import { draftOf, draftProblems, emptyDraft, withDraft, withoutServer } from '../../src/editor/mcpDraft.ts';

const entry = {
  command: 'npx',
  args: ['-y', 'server'],
  env: { TOKEN: '${secret:token}' },
  timeLimits: { totalSeconds: 7, later: 1 },
  enabledTools: ['send'],
  trustRecoveryHints: true,
  note: 'mine',
};

describe('The form of an MCP server', () => {
  it('writes back what it read, with fields that it does not know, in the place where the server stood', () => {
    const servers = { a: { command: 'a' }, mail: entry, z: { url: 'https://z', type: 'http' } };
    const after = withDraft(servers, 'mail', draftOf('mail', entry));
    assert.deepEqual(after, servers);
    assert.deepEqual(Object.keys(after), ['a', 'mail', 'z']);
    assert.deepEqual(withDraft(servers, 'z', draftOf('z', servers.z)), servers);
  });

  it('renames a server, adds one, and removes one', () => {
    const servers = { a: { command: 'a' }, mail: entry };
    assert.deepEqual(Object.keys(withDraft(servers, 'a', { ...draftOf('a', servers.a), id: ' b ' })), ['b', 'mail']);
    const added = withDraft(servers, null, { ...emptyDraft(), id: 'new', command: 'x', args: '1\n\n 2' });
    assert.deepEqual(added['new'], { command: 'x', args: ['1', ' 2'] });
    assert.deepEqual(Object.keys(withoutServer(servers, 'a')), ['mail']);
    assert.deepEqual(withDraft(undefined, null, { ...emptyDraft(), id: 'new', command: 'x' }), {
      new: { command: 'x' },
    });
  });

  it('leaves out what is empty, and what the other kind of server would take', () => {
    const draft = {
      ...draftOf('mail', entry),
      kind: 'http' as const,
      url: 'https://a.b',
      totalSeconds: '',
      trust: false,
    };
    assert.deepEqual(withDraft({ mail: entry }, 'mail', { ...draft, allTools: true })['mail'], {
      url: 'https://a.b',
      timeLimits: { later: 1 },
      note: 'mine',
    });
  });

  it('says field by field what is wrong, and lets nothing of it be taken for right', () => {
    const pairs = [
      { name: 'A', value: '1' },
      { name: 'A ', value: '2' },
    ];
    const draft = { ...draftOf('mail', entry), id: 'a', env: pairs, totalSeconds: 'soon' };
    assert.deepEqual(
      draftProblems({ a: {}, mail: entry }, 'mail', draft).map(({ field, text }) => `${field} ${text.key}`),
      ['id servers.problem.taken', 'env servers.problem.twice', 'timeLimits.totalSeconds servers.problem.seconds'],
    );
    assert.deepEqual(draftProblems({ mail: entry }, 'mail', draftOf('mail', entry)), []);
  });

  it('can show settings of any shape', () => {
    const odd = draftOf('odd', { command: { a: 1 }, args: 'x', env: [], timeLimits: 3, enabledTools: 'y' });
    assert.deepEqual(odd, { ...emptyDraft(), id: 'odd', allTools: false });
  });
});
