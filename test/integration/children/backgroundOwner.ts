import { World } from '../../support/world.ts';
import { makeTool } from '../../tools/shell/makeTool.ts';

/**
 * An owner process that its test kills: starts a command in the background and says, as JSON, what its caller was answered.
 * `backgroundOwner.ts FOLDER COMMAND`
 */
const [, , folder = '', command = ''] = process.argv;
const world = await World.open({ folder, tools: [makeTool(folder, { shell: () => '/bin/sh' })] });
// Keeps the process alive as a window would.
setInterval(() => {}, 1000);
const answer = await world.call('runCommand', { command, background: true });
const action = await untilProcessNoted();
console.log(JSON.stringify({ actionId: answer.actionId, outcome: answer.outcome, text: answer.text, action }));

/** The pid is written while the command runs; the answer does not wait for that. */
async function untilProcessNoted(): Promise<unknown> {
  for (;;) {
    const action = await world.journal.getAction(answer.actionId ?? '');
    if (action?.evidence.some(({ evidence }) => evidence.kind === 'process') === true) {
      return action;
    }
  }
}
