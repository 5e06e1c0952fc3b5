import { ProgressLocation, window } from 'vscode';
import type { Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import type { CommandWatch } from '../tools/shell/commandWatch.ts';

/** How much of a command a dialog shows. */
const SHOWN = 400;

/** A person wants to stop a running command: says what that means, and does it if they then still want it. */
export async function stopAsked(watch: CommandWatch, say: Say): Promise<void> {
  const detail = say('commands.stop.detail', { command: plainText(watch.command.description.command, SHOWN) });
  const button = say('commands.stop.button');
  const answer = await window.showWarningMessage(say('commands.stop.confirm'), { modal: true, detail }, button);
  if (answer !== button) {
    return;
  }
  const hadEnded = watch.end !== undefined;
  watch.stop();
  const progress = { location: ProgressLocation.Window, title: say('commands.stop.working') };
  const { observed } = await window.withProgress(progress, () => watch.untilEnded());
  if (hadEnded || observed.kind === 'exited') {
    void window.showInformationMessage(say('commands.stop.endedBefore'));
  }
}
