import assert from 'node:assert/strict';
import { Permissions, type PermissionRules } from '../../src/decisions/permissions.ts';

const git = { server: 'git', name: 'push' };

function evaluate(user: PermissionRules, workspace: PermissionRules = {}): string {
  const { effect, by } = new Permissions(() => ({ user, workspace: [workspace] })).evaluate(git, 'language_model_tool');
  return `${effect} ${by}`;
}

const shell = { server: 'holdfast', name: 'runCommand' };

/** What decides about a call of the command tool. Without words it is one whose words nobody knows. */
function decides(rules: PermissionRules, ...words: string[]): string {
  const permissions = new Permissions(() => ({ user: rules, workspace: [] }));
  const { effect, by } = permissions.evaluate(shell, 'mcp_client', words.length === 0 ? undefined : words);
  return `${effect} ${by}`;
}

describe('Permissions', () => {
  it('falls back to what the surface does without a rule', () => {
    assert.equal(evaluate({}), 'allow default:language_model_tool');
    const outside = new Permissions(() => ({ user: {}, workspace: [] })).evaluate(git, 'mcp_client');
    assert.equal(outside.effect, 'ask');
  });

  it('takes the most specific pattern, wherever it stands', () => {
    assert.equal(evaluate({ '*': 'deny', 'git.push': 'allow', 'git.*': 'ask' }), 'allow rule:git.push');
    assert.equal(evaluate({ 'git.push': 'allow', '*': 'deny' }), 'allow rule:git.push');
  });

  it('takes the strictest of equally specific patterns', () => {
    assert.equal(evaluate({ 'git.pu*': 'allow', '*t.push': 'deny' }), 'deny rule:*t.push');
  });

  it('matches a pattern literally but for its stars', () => {
    assert.equal(
      evaluate({ 'git?push': 'deny', 'git.(push)': 'deny', gitXpush: 'deny' }),
      'allow default:language_model_tool',
    );
  });

  it('takes the strictest of several workspace folders', () => {
    const workspace: PermissionRules[] = [{ 'git.*': 'ask' }, { 'git.*': 'deny' }, {}];
    const { effect } = new Permissions(() => ({ user: {}, workspace })).evaluate(git, 'manual');
    assert.equal(effect, 'deny');
  });

  it('matches stars at both ends, in the middle, and one after another', () => {
    for (const pattern of ['*', '*.push', 'git*', 'g*.*sh', '**git**push**', 'git.push*', 'git*.push']) {
      assert.equal(evaluate({ [pattern]: 'deny' }), `deny rule:${pattern}`, pattern);
    }
    for (const pattern of ['push', 'git.push.*', '*x*', 'git.*push.push', 'g*t']) {
      assert.equal(evaluate({ [pattern]: 'deny' }), 'allow default:language_model_tool', pattern);
    }
  });

  it('is done at once with a pattern of many stars against a long name', () => {
    const name = 'a'.repeat(20_000);
    const pattern = `${'*a'.repeat(50)}*b`;
    const permissions = new Permissions(() => ({ user: {}, workspace: [{ [pattern]: 'deny' }] }));
    assert.equal(permissions.evaluate({ server: name, name }, 'manual').effect, 'allow');
  });

  it('lets a workspace tighten and never loosen', () => {
    assert.equal(evaluate({ 'git.*': 'allow' }, { '*': 'deny' }), 'deny workspaceRule:*');
    assert.equal(evaluate({ 'git.*': 'deny' }, { 'git.push': 'ask' }), 'deny rule:git.*');
    assert.equal(evaluate({ 'git.*': 'ask' }, { 'git.push': 'allow' }), 'ask rule:git.*');
  });

  it('reads the rules anew each time', () => {
    let effect: 'allow' | 'deny' = 'allow';
    const permissions = new Permissions(() => ({ user: { '*': effect }, workspace: [] }));
    assert.equal(permissions.evaluate(git, 'manual').effect, 'allow');
    effect = 'deny';
    assert.equal(permissions.evaluate(git, 'manual').effect, 'deny');
  });

  describe('with rules for the words that a call begins with', () => {
    const rules: PermissionRules = {
      'holdfast.runCommand(git status)': 'allow',
      'holdfast.runCommand(git push)': 'ask',
      'holdfast.runCommand': 'deny',
    };

    it('let through what begins with exactly these words', () => {
      assert.equal(decides(rules, 'git', 'status'), 'allow rule:holdfast.runCommand(git status)');
      assert.equal(decides(rules, 'git', 'status', '--short'), 'allow rule:holdfast.runCommand(git status)');
      for (const other of [['git'], ['git', 'status-all'], ['git', '-c', 'x=y', 'status'], ['/tmp/git', 'status']]) {
        assert.equal(decides(rules, ...other), 'deny rule:holdfast.runCommand', other.join(' '));
      }
      assert.equal(decides(rules, 'git status'), 'deny rule:holdfast.runCommand', 'one word that holds a blank');
    });

    it('say nothing about a call whose words nobody knows: it falls to the rule for the whole tool', () => {
      assert.equal(decides(rules), 'deny rule:holdfast.runCommand');
      assert.equal(decides({ 'holdfast.runCommand(*)': 'allow' }), 'ask default:mcp_client');
    });

    it('decide before every rule for whole tools, and the longer one before the shorter', () => {
      assert.equal(
        decides({ '*(git push)': 'ask', 'holdfast.runCommand': 'allow' }, 'git', 'push'),
        'ask rule:*(git push)',
      );
      const nested: PermissionRules = {
        '*(git)': 'allow',
        'holdfast.runCommand(git push)': 'ask',
        '*(git push --force)': 'deny',
      };
      assert.equal(decides(nested, 'git', 'push', '--force'), 'deny rule:*(git push --force)');
      assert.equal(decides(nested, 'git', 'push'), 'ask rule:holdfast.runCommand(git push)');
      assert.equal(decides(nested, 'git', 'log'), 'allow rule:*(git)');
      assert.equal(decides({ '*(git *)': 'allow', '*(git push)': 'deny' }, 'git', 'push'), 'deny rule:*(git push)');
    });

    it('take a star for any text in one word, and a word in quotes as it stands', () => {
      assert.equal(decides({ '*(npm run lint*)': 'allow' }, 'npm', 'run', 'lint:fix'), 'allow rule:*(npm run lint*)');
      assert.equal(decides({ '*(npm *)': 'allow' }, 'npm'), 'ask default:mcp_client', 'a star is one word');
      const quoted = '*(npm run "my (own) *")';
      assert.equal(decides({ [quoted]: 'allow' }, 'npm', 'run', 'my (own) *'), `allow rule:${quoted}`);
      assert.equal(decides({ [quoted]: 'allow' }, 'npm', 'run', 'my (own) script'), 'ask default:mcp_client');
    });

    it('that cannot be read allow nothing, and hold back the whole tool', () => {
      for (const broken of ['(git', '(git "status)', '()', '(git) x', '(a(b)', '("\\q")']) {
        const pattern = `holdfast.runCommand${broken}`;
        assert.equal(decides({ [pattern]: 'allow' }, 'git', 'status'), 'ask default:mcp_client', broken);
        assert.equal(decides({ [pattern]: 'deny' }, 'ls'), `deny rule:${pattern}`, broken);
      }
    });

    it('never let through another tool whose own name looks like such a rule', () => {
      const lookAlike = { server: 'evil', name: 'run(git status)' };
      const by = (rules: PermissionRules): string =>
        new Permissions(() => ({ user: rules, workspace: [] })).evaluate(lookAlike, 'mcp_client').effect;
      assert.equal(by({ '*(git status)': 'allow' }), 'ask');
      assert.equal(by({ 'evil.run(git status)': 'deny' }), 'deny');
    });

    it('are told apart from rules for whole tools, whose calls a grant may cover', () => {
      const permissions = new Permissions(() => ({ user: { '*(git push)': 'ask', '*': 'ask' }, workspace: [] }));
      assert.equal(permissions.evaluate(shell, 'manual', ['git', 'push']).ofCall, true);
      assert.equal(permissions.evaluate(shell, 'manual', ['ls']).ofCall, false);
    });
  });
});
