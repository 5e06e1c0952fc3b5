import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { BodyTool } from '../../support/bodyTool.ts';
import { World } from '../../support/world.ts';

/**
 * An owner process that its test kills: calls a tool that appends a line and then never returns. Says `running <pid>` once
 * the line is written.
 */
const folder = process.argv[2] ?? '';
const hang = new BodyTool('hang', (call) => {
  call.boundaryCrossed();
  appendFileSync(join(folder, 'effect.txt'), 'line\n');
  console.log(`running ${process.pid}`);
  return new Promise(() => {});
});
const world = await World.open({ folder, tools: [hang] });
// Keeps the process alive as a window would.
setInterval(() => {}, 1000);
await world.call('hang', { n: 1 });
