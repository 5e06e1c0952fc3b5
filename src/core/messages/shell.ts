/** What the shell tool says of a command: before it runs to a person, afterwards to the agent. */
export const shell = {
  // What is wrong with the input.
  'shell.input.shape': 'Send an object with `command` or `argv`.',
  'shell.input.command': '`command` must be a string.',
  'shell.input.argv': '`argv` must be a list of strings: the program, then its arguments.',
  'shell.input.cwd': '`cwd` must be a string.',
  'shell.input.timeoutSeconds': '`timeoutSeconds` must be a number from 1 to {most}.',
  'shell.input.background': '`background` must be true or false.',
  'shell.input.preflight': '`preflight` must be true or false.',
  'shell.input.unknown':
    'Leave out {names}: the input takes `command` or `argv`, `cwd`, `timeoutSeconds`, `background` and `preflight`.',
  'shell.input.both': 'Send either `command` or `argv`, not both.',
  'shell.input.neither': 'Send either `command` or `argv`.',
  'shell.input.emptyCommand': 'The command is empty: send what to run.',
  'shell.input.emptyArgv': '`argv` is empty: its first item must name the program to run.',
  'shell.input.backgroundLimit':
    'A command in the background has no time limit: leave out `timeoutSeconds`, and stop the command when it is no longer needed.',
  'shell.input.nul': 'No process can be sent a NUL character: take it out.',
  'shell.input.surrogate': 'The text holds half of a surrogate pair, which has no UTF-8 form: take it out.',
  'shell.input.tooLong': 'The command is longer than {most} bytes: write it to a script file and run that.',

  // Why nothing can be run.
  'shell.folder.noneOpen': 'Commands run inside a workspace folder and none is open: ask the user to open a folder.',
  'shell.folder.missing': 'The folder {folder} does not exist: send another `cwd`.',
  'shell.folder.outside': 'The folder {folder} lies outside the workspace: send a `cwd` inside it.',
  'shell.shell.noneFound':
    'No shell was found (tried {tried}): choose one in the settings, or send `argv`, which needs none.',
  'shell.shell.unusable':
    'The shell {shell} from the settings does not exist or cannot be run: choose another, or send `argv`, which needs none.',
  'shell.syntax.refused':
    '{shell} refuses the syntax of the command: {message}\nCorrect it. If it is valid and needs aliases or options that it sets itself (such as extglob), which this check cannot know, send `preflight: false`, or send `argv`, which needs no shell.',
  'shell.syntax.noMessage': '(no message)',
  'shell.start.cancelled': 'The call was cancelled before the command was started.',
  'shell.start.notFound': '{program} could not be started: it was not found.',
  'shell.start.mayNotRun': '{program} could not be started: it may not be run.',
  'shell.start.unexplained': '{program} could not be started; the system did not say why.',
  'shell.start.fault': '{program} could not be started ({code}).',

  // Exactly what would run.
  'shell.plan.byShell': 'by {shell}, in {folder}, {limit}',
  'shell.plan.withoutShell': 'without a shell, in {folder}, {limit}',
  'shell.plan.heading.byShell': 'In {folder} by {shell}, {limit}:',
  'shell.plan.heading.withoutShell': 'In {folder}, without a shell, {limit}:',
  'shell.plan.limit': 'for at most {seconds} s',
  'shell.plan.background': 'in the background, without a time limit',
  'shell.plan.invisible': 'Characters that cannot be seen are shown as ⟨U+…⟩.',

  // How it ended.
  'shell.end.exited': 'Exit code {code}.',
  'shell.end.signalled': 'Ended by {signal}, which Holdfast did not send.',
  'shell.end.timed_out': 'Stopped after {seconds} s: the time limit was reached.',
  'shell.end.cancelled': 'Stopped after {seconds} s: the call was cancelled.',
  'shell.end.asked': 'Stopped after {seconds} s, as asked.',
  'shell.end.stopped_by_host': 'Stopped after {seconds} s: the editor is shutting down.',
  'shell.end.unknown': 'Partial effects are possible; whether the command finished its work is unknown.',

  // In the background.
  'shell.background.started':
    'Running in the background as pid {pid} (record {id}); its outcome is not known yet. holdfast_commandStatus tells how it is going and what it has printed, holdfast_stopCommand ends it, each by this record. When the window closes it is ended.',
  'shell.background.tooMany':
    'This window runs {most} commands in the background, which is the most it may. Stop one with holdfast_stopCommand or wait until one has ended (holdfast_commandStatus lists those of this session), then send the call again.',
  'shell.status.invocation': 'Looking at a command',
  'shell.status.none':
    'No command was started in the background by this window in this session. holdfast_listActions lists what was recorded.',
  'shell.status.list': 'Commands in the background, the latest first:',
  'shell.status.item': '{id}: {state}. {command}',
  'shell.status.running': 'running for {seconds} s as pid {pid}, {size} printed',
  'shell.status.stillRunning': 'Running for {seconds} s as pid {pid}; its outcome is not known yet.',
  'shell.status.ended': 'ended at {time}: {end}',
  'shell.status.unknown':
    'This session has no command with the record {id}. holdfast_commandStatus without `id` lists those in the background.',
  'shell.status.past': 'This command is not running in this window: {ending}. Its output is not kept any more.',
  'shell.status.beingRecorded': 'Its end is being recorded.',
  'shell.status.alive': 'Its process, pid {pid}, may still be running.',
  'shell.status.shortened': 'Note: {kept} of {total} are shown; ask with a larger `outputBytes` for more.',
  'shell.status.input.shape': 'Send an object, empty or with `id` and `outputBytes`.',
  'shell.status.input.unknown': 'Leave out {names}: the input takes only `id` and `outputBytes`.',
  'shell.status.input.id': '`id` must be the record of a command, as the answer to its call named it.',
  'shell.status.input.outputBytes': '`outputBytes` must be a whole number from 1 to {most}.',
  'shell.stop.invocation': 'Stopping a command',
  'shell.stop.title': 'Stop this command?',
  'shell.stop.warning': 'What it did by then counts as unknown: you check it before the next change.',
  'shell.stop.endedBefore': 'It was not stopped: it had ended by itself.',
  'shell.stop.notRunning': 'It was not stopped: it is not running in this window.',
  'shell.stop.pending': 'It was told to stop and has not ended yet. holdfast_commandStatus tells when it has.',
  'shell.stop.input': 'Send an object with `id`: the record of a running command, as the answer to its call named it.',

  // Its output, and notes beside it.
  'shell.output.none': '(no output)',
  'shell.output.leftOut': '… {size} left out …',
  'shell.note.truncated': 'Note: Output truncated: {kept} of {total} are shown, the beginning and the end.',
  'shell.note.exitLikeSignal':
    'Note: The shell itself exited, with code {code}; that usually means that {signal} ended a process it had started.',
  'shell.note.survivors':
    "Note: Not stopped, because they left the command's process group or could not be ended: pid {pids}.",
  'shell.note.backgroundChild':
    'Note: A process that the command started in the background is still running; its later output is not shown.',
  'size.bytes': '{count} bytes',
  'size.kilobytes': '{count} kB',
  'size.megabytes': '{count} MB',
} as const;
