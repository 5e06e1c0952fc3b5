/** What a person does for Holdfast itself: pausing it, the way out of a tangle, and what it tells of its own state. */
export const care = {
  // Pausing.
  'refused.paused':
    'Not executed: Holdfast is paused by a person; nothing was run. Reads go on. Wait until the person says that it was resumed before you call again.',
  'refused.paused.recorded': '(decision {id})',
  'permissions.by.pause': 'the pause',
  'pause.status': 'Paused',
  'pause.status.why':
    'Holdfast is paused since {time}: agents may change nothing until you resume. What was running goes on to its end. Run “Holdfast: Resume” to go on.',
  'pause.done': 'Holdfast is paused. Agents may change nothing until you resume.',
  'pause.done.running':
    'Holdfast is paused. Agents may change nothing until you resume. Actions still running: {count}. They go on to their end.',
  'pause.resume': 'Resume',
  'pause.resumed': 'Holdfast goes on. What fell due meanwhile is settled now.',

  // Many reviews with one note.
  'bulk.offer': 'I checked these…',
  'bulk.offer.detail':
    'One note for all {count} actions with unknown outcome. Each review is answered and recorded on its own, 20 actions at a time.',
  'bulk.pick': 'Choose the sessions whose actions you have checked',
  'bulk.count': 'actions to check: {count}',
  'bulk.title': 'I checked these actions with unknown outcome: {count}',
  'bulk.prompt':
    'What did you find? Kept with every record. Enter approves their reviews: the sessions go on. It proves nothing about the actions and runs none of them again.',
  'bulk.placeholder': 'e.g. All of them are in the deployment log; none ran twice.',
  'bulk.needsNote': 'Say in a few words what you found, in {limit} characters at most.',
  'bulk.working': 'Recording your answer for each review',
  'bulk.done': 'Recorded. Reviews: {reviews}, actions: {actions}.',
  'bulk.left': 'Not covered, because it came in or was answered meanwhile: {count}. Look again.',

  // Verify Journal.
  'verify.working': 'Verifying the journal',
  'verify.inOrder': 'The journal is in order.',
  'verify.sound': 'Every page was read. Actions: {actions}, decisions: {decisions}.',
  'verify.by_server':
    'Actions of yours: {actions}, decisions: {decisions}. The pages are the database server’s own to check.',
  'verify.found.stuck_requests': 'Requests whose action has ended or is missing: {count}.',
  'verify.found.missing_actions': 'Notes and reviews whose action is missing: {count}.',
  'verify.found.unreviewed_acknowledgements': 'Actions that count as checked without an approved review: {count}.',
  'verify.found.missing_tools': 'Actions whose tool is not known: {count}.',
  'verify.advice':
    'A request whose action has ended is put right when the journal is opened again: run “Developer: Reload Window”. Anything else was not written by Holdfast: keep a copy of the journal, and look at what these sessions did.',
  'verify.reset': 'Reset Journal…',

  // Reset Journal.
  'reset.confirm': 'Reset the journal of this workspace?',
  'reset.lost':
    'All records of this workspace go out of reach: what agents did, what you answered, what you allowed to be remembered. The journal is kept as it is in a folder beside the new one; nothing is deleted.',
  'reset.unresolved':
    'Actions with unknown outcome that nobody has checked: {count}. Open reviews and questions: {decisions}.',
  'reset.unreadable': 'What is unresolved in it cannot be read now. {cause}',
  'reset.after':
    'Nothing is let through by this: each session that there is asks you to check first before agents change anything.',
  'reset.button': 'Set Aside and Begin Anew',
  'reset.busy':
    'The journal cannot be reset while calls of this window run or wait for you. Answer them, let them end or stop them, then try again.',
  'reset.elsewhere':
    'The journal is on a PostgreSQL server and shared: it is not this window’s to reset. “Holdfast: Use the Embedded Journal” changes over to one of this workspace.',

  // Show Diagnostics and Report Issue.
  'diagnostics.title': 'Holdfast, {time}',
  'diagnostics.versions': 'Versions: Holdfast {holdfast}, VS Code {editor}, Node {node}, {platform}',
  'diagnostics.remote': 'Remote: {remote}',
  'diagnostics.paused': 'Paused by a person: yes',
  'diagnostics.notPaused': 'Paused by a person: no',
  'diagnostics.journal': 'Journal: open, {location}, schema {schema}',
  'diagnostics.journal.folder': 'Journal folder: {folder}',
  'diagnostics.journal.disconnected': 'Journal connection: lost',
  'diagnostics.journal.unavailable': 'Journal: not open ({code})',
  'diagnostics.actions':
    'Actions: running {running}, unresolved {unresolved} in sessions {sessions}; open decisions {decisions}',
  'diagnostics.claim': 'Open claim that falls due first: renewed {renewed} ago, due in {due}',
  'diagnostics.claim.none': 'Open claims: none',
  'diagnostics.scheduler': 'Scheduler: {state}',
  'diagnostics.scheduler.none': 'Scheduler: not made yet',
  'diagnostics.scheduler.quiet': 'Kept awake by: nothing',
  'diagnostics.scheduler.awake': 'Kept awake by: {because} (duty {duty}), in {due}',
  'diagnostics.scans': 'Scans by cause: {causes}',
  'diagnostics.duty': 'Duty {name}: asked {asked}, pages {pages}, rows {rows}, failures {failures}',
  'diagnostics.duty.failed': '(last at {time}: {what})',
  'diagnostics.gate': 'Calls that waited behind a review: {count}; waiting now: {waiting}',
  'diagnostics.gate.times': 'Their wait: {average} on average, {longest} at most',
  'diagnostics.reviews': 'Recovery reviews: {states}',
  'diagnostics.reviews.time': 'Time to review: median {median}, longest {longest}',
  'diagnostics.reviews.more': 'Older reviews were not counted.',
  'diagnostics.verdicts': 'Checked actions: {count}; verdicts: {shares}',
  'report.title': 'Holdfast: ',
  'report.copied': 'The report is on the clipboard. Look through it, say what happened, and send it.',
  'report.open': 'Open Issue Reporter',
} as const;
