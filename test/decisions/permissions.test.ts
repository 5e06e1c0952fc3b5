import assert from 'node:assert/strict';
import { Permissions, type PermissionRules } from '../../src/decisions/permissions.ts';

const git = { server: 'git', name: 'push' };

function evaluate(user: PermissionRules, workspace: PermissionRules = {}): string {
  const { effect, by } = new Permissions(() => ({ user, workspace: [workspace] })).evaluate(git, 'language_model_tool');
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
});
