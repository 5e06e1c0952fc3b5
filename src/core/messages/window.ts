/** What a person reads in the window, reviews apart. */
export const window = {
  // Notices, the status bar, sessions.
  'interrupted.one':
    '{tool}, started at {time}, was interrupted when its window went away. Whether it took effect is not known.',
  'interrupted.many':
    '{count} actions were interrupted when their window went away, the first {tool}, started at {time}. Whether they took effect is not known.',
  'status.toReview': '{count} to review',
  'status.unavailable': 'Journal unavailable',
  'status.actions': 'Actions with unknown outcome, for you to check: {count}',
  'status.requests': 'Calls that wait for your permission: {count}',
  'status.cannotWrite':
    'The journal cannot be written, so agents may change nothing. Holdfast tries again with the next call; see to the disk if this goes on.',
  'session.confirm': 'Start a new Holdfast session?',
  'session.unresolved':
    'Actions of this session with unknown outcome: {count}. They stay to be reviewed, but no longer hold back what agents do next.',
  'session.allKnown': 'Nothing of this session is unresolved.',
  'session.running': 'Actions still running: {count}. They go on, and are recorded in the session they began in.',
  'session.start': 'Start New Session',
  'session.current': 'this session',
  'session.begun': 'session begun at {time}',
  'session.named': 'session {id}',
  'session.started': 'A new Holdfast session has begun.',

  // One record in full.
  'record.tool': 'Tool',
  'record.outcome': 'How it ended',
  'record.review': 'Review',
  'record.started': 'Started',
  'record.ended': 'Ended',
  'record.interrupted': 'Found interrupted',
  'record.evidence': 'Evidence',
  'record.allowedBy': 'Allowed by',
  'record.session': 'Session',
  'record.id': 'Record',

  // Confirmation of a tool call, in VS Code's own dialog.
  'confirm.runCommand.title': 'Run this command?',
  'confirm.runCommand.backgroundTitle': 'Run this command in the background?',
  'confirm.runCommand.invocation': 'Running a command through Holdfast',
  'confirm.invalid': 'This call will be refused: {problem}',
  'listing.invocation': 'Listing recorded actions',

  // Try It.
  'tryIt.needsFolder': 'Open a folder first: Try It lets a scripted agent append lines to a file in it.',
  'tryIt.intro':
    'A scripted agent now calls the tools that Holdfast guards, through VS Code. No AI account takes part.',
  'tryIt.first':
    '1. The agent appends a line, and its command then outlives its limit of {limit} s. Did the line land? The agent cannot know.',
  'tryIt.second':
    '2. It goes on with the next change. Holdfast holds it back: look for the notification “Check earlier actions”, look into the file, then approve or deny.',
  'tryIt.third': '3. What the session has done, as the agent can read it at any time.',
  'tryIt.end':
    'Lines in {file} that the first call wrote: {count}. Nothing was repeated behind your back. Holdfast: Inspect Journal shows the records.',
  'tryIt.broken': 'The story stopped here: {cause}',
  'command.failed': 'Holdfast could not do that. {cause}',
} as const;
