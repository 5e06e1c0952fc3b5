import { systemClock } from '../../../src/core/clock.ts';
import { createSay, untranslated } from '../../../src/core/messages.ts';
import { RecentCommands } from '../../../src/tools/shell/recentCommands.ts';
import { RunCommandTool, type RunCommandOptions } from '../../../src/tools/shell/runCommand.ts';

/** The tool as the extension builds it, on one workspace folder. */
export function makeTool(folder: string, changes: Partial<RunCommandOptions> = {}): RunCommandTool {
  return new RunCommandTool({
    workspaceFolders: () => [folder],
    shell: () => null,
    removedVariables: () => [],
    defaultTimeLimitMs: () => 60_000,
    clock: systemClock,
    recent: new RecentCommands(),
    environment: { platform: process.platform, variables: () => process.env },
    say: createSay(untranslated),
    ...changes,
  });
}
