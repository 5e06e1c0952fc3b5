import assert from 'node:assert/strict';
import { fillIn, readServers, type ConfiguredServer } from '../../src/editor/mcpSettings.ts';

const stdio = { command: 'npx', args: ['-y', 'server'] };

const readOne = (entry: unknown, id = 'mail'): ConfiguredServer => readServers({ [id]: entry })[0]!;

/** Which fields are wrong, and with which text. */
const problemsOf = (entry: unknown, id?: string): readonly string[] =>
  readOne(entry, id).problems.map(({ field, text }) => `${field}: ${text.key.replace('servers.problem.', '')}`);

describe('The setting holdfast.mcp.servers', () => {
  it('is read as it was meant, with the usual limits, all tools, and no trust', () => {
    assert.deepEqual(readOne({ ...stdio, env: { A: 'b' }, cwd: '/srv', unknown: 1 }), {
      id: 'mail',
      settings: {
        id: 'mail',
        address: { kind: 'stdio', command: 'npx', args: ['-y', 'server'], variables: { A: 'b' }, cwd: '/srv' },
        limits: { connectMs: 30_000, silenceMs: 120_000, totalMs: 600_000 },
        enabledTools: null,
        trustRecoveryHints: false,
      },
      problems: [],
      secrets: [],
    });
    const full = {
      url: 'https://example.org/mcp',
      headers: { Authorization: 'Bearer ${secret:token}' },
      timeLimits: { totalSeconds: 7 },
      enabledTools: ['send'],
      trustRecoveryHints: true,
    };
    assert.deepEqual(readOne(full).settings, {
      id: 'mail',
      address: { kind: 'http', url: full.url, headers: full.headers },
      limits: { connectMs: 30_000, silenceMs: 120_000, totalMs: 7000 },
      enabledTools: ['send'],
      trustRecoveryHints: true,
    });
    assert.equal(readOne({ ...full, type: 'sse' }).settings?.address.kind, 'sse');
  });

  it('names what is wrong with a server, and says nothing of it about the others', () => {
    const servers = readServers({ bad: { command: 7 }, good: stdio, worse: 'npx', 'a.b': stdio });
    assert.deepEqual(
      servers.map(({ id, settings, problems }) => [id, settings !== undefined, problems.map(({ field }) => field)]),
      [
        ['bad', false, ['command']],
        ['good', true, []],
        ['worse', false, ['id']],
        ['a.b', false, ['id']],
      ],
    );
  });

  const wrong: readonly (readonly [string, unknown, string, string?])[] = [
    ['nothing that reaches it', {}, 'command: command'],
    ['a command and an address', { ...stdio, url: 'https://a.b' }, 'url: both'],
    ['arguments in one text', { command: 'a', args: '-y' }, 'args: args'],
    ['a variable that is no text', { ...stdio, env: { A: 1 } }, 'env: words'],
    ['an address of another kind', { url: 'file:///etc/passwd' }, 'url: url'],
    ['a password in an address', { url: 'https://me:secret@a.b' }, 'url: url'],
    ['a header that breaks out of its line', { url: 'https://a.b', headers: { A: 'x\r\nB: y' } }, 'headers: header'],
    ['a secret among the arguments', { command: 'a', args: ['${secret:x}'] }, 'args: secretPlace'],
    ['a secret in the address', { url: 'https://a.b/${secret:x}' }, 'url: secretPlace'],
    ['a secret without a name', { ...stdio, env: { A: '${secret:}' } }, 'env: secretName'],
    ['a limit of nothing', { ...stdio, timeLimits: { totalSeconds: 0 } }, 'timeLimits.totalSeconds: seconds'],
    ['trust that is not clearly given', { ...stdio, trustRecoveryHints: 'true' }, 'trustRecoveryHints: trust'],
    ['a name with a dot', stdio, 'id: id', 'a.b'],
    ['the name of Holdfast’s own tools', stdio, 'id: ownId', 'holdfast'],
  ];
  for (const [what, entry, problem, id] of wrong) {
    it(`does not take ${what}`, () => {
      assert.deepEqual(problemsOf(entry, id), [problem]);
    });
  }

  it('is none where it is no set of servers at all', () => {
    for (const value of [undefined, null, 'npx', [stdio]]) {
      assert.deepEqual(readServers(value), []);
    }
  });

  it('has secrets and the folder filled in once, and only where they may stand', () => {
    const { settings, secrets } = readOne({
      command: '${workspaceFolder}/server',
      args: ['${workspaceFolder}'],
      env: { TOKEN: 'a ${secret:one} ${secret:two}', AT: '${workspaceFolder}' },
    });
    assert.deepEqual(secrets, ['one', 'two']);
    const values = new Map([
      ['one', '${secret:two} $& ${workspaceFolder}'],
      ['two', '2'],
    ]);
    assert.deepEqual(fillIn(settings!, { secrets: values, workspaceFolder: '/w $&' })?.address, {
      kind: 'stdio',
      command: '/w $&/server',
      args: ['/w $&'],
      variables: { TOKEN: 'a ${secret:two} $& ${workspaceFolder} 2', AT: '/w $&' },
    });
    assert.equal(fillIn(settings!, { secrets: values, workspaceFolder: undefined }), undefined);
  });
});
