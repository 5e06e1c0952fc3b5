/** What a person reads of the commands that agents run. */
export const commands = {
  'commands.statusName': 'Holdfast: commands',
  'commands.status': '{count} running',
  'commands.running': 'Commands that agents run through Holdfast: {count}. Show their output',
  'commands.none': 'No command has run through Holdfast since this window was opened.',
  'commands.choose': 'Choose the command to look at',
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
