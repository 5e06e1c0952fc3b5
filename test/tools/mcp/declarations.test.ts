import assert from 'node:assert/strict';
import { KeptTrust, useSurroundings, type Surroundings } from './surroundings.ts';

const ATTESTED = { isError: true, content: [], _meta: { 'octipus/recovery': { outcome: 'not_executed' } } };

describe('What MCP servers declare', function () {
  this.timeout(30_000);
  const surroundings = useSurroundings();

  const annotations: Readonly<Record<string, unknown>> = {
    'exactly true': { readOnlyHint: true },
    'the text true': { readOnlyHint: 'true' },
    'the number 1': { readOnlyHint: 1 },
    nothing: undefined,
    'no object': 'readOnlyHint',
    'only idempotent': { idempotentHint: true, destructiveHint: false },
    'inherited by name': { __proto__: { readOnlyHint: true } },
  };
  const TOOLS = JSON.stringify(
    Object.entries(annotations).map(([name, value]) => ({
      name,
      inputSchema: { type: 'object' },
      ...(value === undefined ? {} : { annotations: value }),
    })),
  );

  const readOnly = (around: Surroundings): readonly string[] =>
    around.tools.filter((tool) => tool.readOnly).map(({ identity }) => identity.name);

  it('[M2] without the opt-in no hint counts; with it, only an exact true in the discovered annotations', async () => {
    const around = surroundings();
    const variables = { TOOLS };
    await around.offer(await around.server('stdio', { variables }));
    assert.deepEqual(readOnly(around), []);
    await around.offer(await around.server('stdio', { variables, settings: { trustRecoveryHints: true } }));
    assert.deepEqual(readOnly(around), ['exactly true']);
    assert.equal(around.tools.filter(({ identity }) => identity.name in annotations).length, 7, 'none is left out');
  });

  it('[M2] arguments, results and _meta of a call cannot make it a read; a trusted hint grants no permission', async () => {
    const around = surroundings();
    await around.offer(await around.server('stdio', { variables: { TOOLS }, settings: { trustRecoveryHints: true } }));
    const hint = { readOnlyHint: true, annotations: { readOnlyHint: true } };
    const result = { content: [], _meta: hint, ...hint };
    const answer = await around.call('says', { result, ...hint, _meta: hint });
    assert.equal((await around.action(answer)).outcome, 'completed');
    around.world.rules = { 'bad-0.exactly true': 'deny' };
    assert.equal((await around.call('exactly true')).reason, 'denied_by_rule');
  });

  it('[M2] a trusted read runs while the scope is gated and writes no row; the same tool untrusted is a mutation', async () => {
    const around = surroundings();
    const variables = { TOOLS };
    const trusting = await around.server('stdio', { variables, settings: { trustRecoveryHints: true } });
    await around.offer(trusting);
    assert.equal((await around.call('isError')).outcome, 'uncertain');
    const read = await around.call('exactly true', { result: { content: [{ type: 'text', text: 'read' }] } });
    assert.deepEqual([read.actionId, read.text], [null, 'read']);
    await around.offer(await around.server('stdio', { variables }));
    const gated = around.call('exactly true', { result: { content: [] } });
    await around.world.answer(await around.world.raised(), 'denied');
    assert.equal((await gated).reason, 'recovery_denied');
  });

  it('[M2] the switch applies on the next connection', async () => {
    const around = surroundings();
    const server = await around.server('stdio', { variables: { TOOLS } });
    await around.offer(server);
    await server.change({ ...server.settings, trustRecoveryHints: true });
    assert.deepEqual(
      server.tools.filter((tool) => tool.readOnly),
      [],
    );
    await around.offer(server);
    assert.deepEqual(readOnly(around), ['exactly true']);
  });

  it('[M3] a tool that changed since the user trusted it counts as untrusted and says so, the others stay', async () => {
    const around = surroundings();
    const trusted = new KeptTrust();
    const settings = { id: 'server', trustRecoveryHints: true };
    const described = (description: string): string =>
      JSON.stringify(
        ['peek', 'look'].map((name) => ({
          name,
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: true },
          description: name === 'peek' ? description : 'Looks.',
        })),
      );
    await around.offer(await around.server('stdio', { settings, trusted, variables: { TOOLS: described('Peeks.') } }));
    assert.deepEqual(readOnly(around), ['peek', 'look']);
    await around.offer(await around.server('stdio', { settings, trusted, variables: { TOOLS: described('Pokes.') } }));
    assert.deepEqual(readOnly(around), ['look']);
    const peek = around.tools.find(({ identity }) => identity.name === 'peek')!;
    assert.match(peek.describe({}), /has changed since you trusted/);
    const answer = await around.call('peek', { result: ATTESTED });
    assert.equal(answer.outcome, 'uncertain', 'its attestation is not believed either');
  });

  it('[M3] a tool that changes while the server runs falls back at once, and a call made before is not sent', async () => {
    const around = surroundings();
    const server = await around.server('stdio', { settings: { trustRecoveryHints: true } });
    await around.offer(server);
    const before = around.tools.find(({ identity }) => identity.name === 'ok')!;
    const listed = new Promise<void>((resolve) => {
      const subscription = server.onChanged(() => {
        if (server.tools.some(({ trust }) => trust === 'changed')) {
          subscription.dispose();
          resolve();
        }
      });
    });
    await around.call('changes');
    await listed;
    const now = server.tools.find(({ identity }) => identity.name === 'ok')!;
    assert.notEqual(now.definitionHash, before.definitionHash);
    const answer = await around.call('ok');
    assert.deepEqual([answer.outcome, answer.reason], ['not_executed', 'refused_by_tool']);
    assert.match(answer.text, /is not what it was/);
    assert.equal((await around.keeper.frames('tools/call')).filter(({ name }) => name === 'ok').length, 0);
  });

  it('[M4] the attestation is believed from an opted-in server, and the next mutation is not gated', async () => {
    const around = surroundings();
    await around.offer(await around.server('stdio', { settings: { trustRecoveryHints: true } }));
    const answer = await around.call('says', { result: ATTESTED });
    assert.deepEqual([answer.outcome, answer.reason], ['not_executed', 'refused_by_tool']);
    assert.equal((await around.evidence(answer, 'attested_not_executed')).length, 1);
    assert.equal((await around.call('ok')).outcome, 'completed');
  });

  const inexact: Readonly<Record<string, unknown>> = {
    'without isError': { content: [], _meta: ATTESTED._meta },
    'isError as a text': { ...ATTESTED, isError: 'true' },
    'another outcome': { ...ATTESTED, _meta: { 'octipus/recovery': { outcome: 'completed' } } },
    'one key more': { ...ATTESTED, _meta: { 'octipus/recovery': { outcome: 'not_executed', sure: true } } },
    'a text': { ...ATTESTED, _meta: { 'octipus/recovery': 'not_executed' } },
    'a list': { ...ATTESTED, _meta: { 'octipus/recovery': [{ outcome: 'not_executed' }] } },
    'another key': { ...ATTESTED, _meta: { 'octipus/Recovery': { outcome: 'not_executed' } } },
    'outside _meta': { isError: true, content: [], 'octipus/recovery': { outcome: 'not_executed' } },
    'only in the text': { isError: true, content: [{ type: 'text', text: JSON.stringify(ATTESTED) }] },
  };

  it('[M4] from a server without the opt-in, and in any other shape, it is not believed', async () => {
    const around = surroundings();
    const off = await around.server('stdio');
    const on = await around.server('stdio', { settings: { trustRecoveryHints: true } });
    await around.offer(off);
    assert.equal((await around.call('says', { result: ATTESTED }, { session: 'off' })).outcome, 'uncertain');
    await around.offer(on);
    for (const [what, result] of Object.entries(inexact)) {
      const answer = await around.call('says', { result }, { session: what });
      assert.equal(answer.outcome, 'uncertain', what);
      assert.equal((await around.evidence(answer, 'attested_not_executed')).length, 0, what);
    }
  });
});
