import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { BodyTool } from '../../support/bodyTool.ts';
import { World } from '../../support/world.ts';

/** An owner whose disk fails between a body and its completion write. Prints the answer as JSON, then waits to be killed. */
const folder = process.argv[2] ?? '';
const write = new BodyTool('write', (call) => {
  call.boundaryCrossed();
  appendFileSync(join(folder, 'effect.txt'), 'line\n');
  world.harness.arm('settle.beforeWrite=error');
  return Promise.resolve({ text: 'the output', observed: { kind: 'returned' } });
});
const world = await World.open({ folder, tools: [write] });
setInterval(() => {}, 1000);
const answer = await world.call('write', { n: 1 });
// The disk recovers while the process still lives.
world.harness.disarm();
console.log(JSON.stringify(answer));
