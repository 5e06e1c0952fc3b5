/** What a person reads of the commands that agents run. */
export const commands = {
  'commands.statusName': 'Holdfast: commands',
  'commands.status': '{count} running',
  'commands.running': 'Commands that agents run through Holdfast: {count}. Show their output',
  'commands.none': 'No command has run through Holdfast since this window was opened.',
  'commands.choose': 'Choose the command to look at',
  'commands.chooseToStop': 'Choose the command to stop',
  'commands.noneRunning': 'No command runs through Holdfast now.',
  'commands.stop': 'Stop…',
  'commands.stop.hint': '“Holdfast: Stop Command…” in the palette, or in this terminal’s menu, ends it.',
  'commands.stop.confirm': 'Stop this command?',
  'commands.stop.detail':
    '{command}\n\nIt is ended with all its processes. What it did by then counts as unknown: you check it before the next change in its session.',
  'commands.stop.button': 'Stop',
  'commands.stop.working': 'Stopping a command',
  'commands.stop.endedBefore': 'It was not stopped: it had ended by itself.',
  'commands.terminal': 'Holdfast {pid}',
  'commands.item.running': 'running since {time}, pid {pid}',
  'commands.item.ended': 'started at {time}. {end}',
  'commands.heading.byShell': 'pid {pid}, by {shell}, in {folder}. For looking only: what you type goes nowhere.',
  'commands.heading.withoutShell':
    'pid {pid}, without a shell, in {folder}. For looking only: what you type goes nowhere.',

  // A process that nobody stopped when its owner died.
  'commands.alive': 'pid {pid} may still be running',
  'commands.interruptedAlive': 'May still be running: pid {pids}.',
  'commands.endingAlive': '{ending}; pid {pid} may still be running',
} as const;
