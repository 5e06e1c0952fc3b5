/**
 * Every text that a person or an agent reads, by key. The English text is also the key of a translation
 * (l10n/bundle.l10n.json is written from here by `npm run l10n`). Texts about an unknown outcome never say done, failed or
 * refused (P9).
 */
export const english = {
  // Answers to an agent: how an attempt ended.
  'outcome.not_executed.cancelled_before_boundary':
    'Not executed: the call was cancelled before anything was sent or started.',
  'outcome.not_executed.permission_changed': 'Not executed: permission changed while the call waited ({rule}).',
  'outcome.not_executed.refused_by_tool': 'Not executed: {detail}',
  'outcome.not_executed.failed_before_boundary':
    'Not executed: something went wrong before anything was sent or started. {detail}',
  'outcome.not_executed.start_not_acknowledged': 'Not executed: the journal could not record the start.',
  'outcome.not_executed.stopped_before_boundary':
    'Not executed: the window is closing and nothing had been sent or started.',
  'outcome.uncertain.timed_out':
    'Outcome unknown: the call was stopped at its time limit. It may have taken effect fully, partly or not at all.',
  'outcome.uncertain.cancelled_after_boundary':
    'Outcome unknown: the call was cancelled after it had begun. Partial effects are possible.',
  'outcome.uncertain.killed_by_signal':
    'Outcome unknown: the process was ended by a signal. It may have taken effect fully, partly or not at all.',
  'outcome.uncertain.stopped_by_host':
    'Outcome unknown: the window closed while the call was running. It may have taken effect fully, partly or not at all.',
  'outcome.uncertain.threw':
    'Outcome unknown: the tool broke off with an error after the call had begun. It may have taken effect fully, partly or not at all.',
  'outcome.uncertain.error_result':
    'Outcome unknown: the tool answered with an error after the call had begun. It may have taken effect fully, partly or not at all.',
  'outcome.uncertain.unplaced': 'Outcome unknown: what was observed fits no rule.',
  'outcome.uncertain.records_lost': 'Outcome unknown: the records of earlier actions are lost.',
  'outcome.uncertain.tool_execution_outcome_unknown':
    'Outcome unknown: no answer came and the claim on the call went stale.',
  'outcome.advice':
    'Do not repeat the call. Check what it changed; the next change in this session waits for a person to check it too. (record {id})',
  'outcome.started': 'This call was sent before and is still running (record {id}). It was not started again.',
  'outcome.orphaned':
    'This call was sent before; the window that ran it is gone and its outcome is unknown (record {id}). It was not started again.',

  // Notes beside an answer.
  'note.completionNotRecorded':
    'The answer above is complete, but the journal could not record it ({cause}). Until a person has checked it, the call counts as unknown.',
  'note.identicalCompleted': 'An identical call completed at {time}.',
  'note.alreadyTerminal':
    'The record had been closed before this answer came ({outcome}); the answer was added to it as evidence.',
  'note.sentBefore': 'This call was sent before (record {id}). It was not run again; a retry needs a new call.',

  // Refusals without a record.
  'refused.unknownTool': 'Not executed: there is no tool {tool}.',
  'refused.invalidInput': 'Not executed: {problem}',
  'refused.deniedByRule': 'Not executed: {tool} is denied by {rule} in the settings.',
  'refused.deniedByPerson':
    'Not executed: a person denied this call (decision {id}). Do not try to get the same effect another way; ask what to do instead.',
  'refused.permissionNeeded':
    'Not executed: a person has to allow this call and nobody is there. The request {id} waits in Holdfast.',
  'refused.requestUsed':
    'Not executed: the permission for this call is no longer valid ({state}). Ask again with a new call.',
  'refused.requestEnded': 'Not executed: the permission request ended without a yes (decision {id}).',
  'refused.recoveryDenied':
    'Not executed: earlier actions of this session have unknown outcomes, and a person denied going on (review {id}). Say what you know about them and ask how to proceed.',
  'refused.recoveryNeeded':
    'Not executed: earlier actions of this session have unknown outcomes and nobody is there to check them. The review {id} waits in Holdfast: Review Unresolved Actions.',
  'refused.cancelled': 'Not executed: the call was cancelled while it waited.',
  'refused.journalUnavailable':
    'Not executed: the journal cannot be written, so nothing that changes the world may run. {cause} Reading tools still work.',
  'refused.stopping': 'Not executed: Holdfast is stopping.',
  'refused.internal':
    'Holdfast could not handle the call because of a fault of its own ({cause}). Whether anything was executed is unknown: check before you go on.',

  // Listing for an agent.
  'list.none': 'This session has no recorded actions.',
  'list.unresolved': '{count} with unknown outcome; the next change waits for a person to check them.',
  'list.allKnown': 'Nothing is unresolved.',
  'list.more': 'Older actions were left out.',
  'list.unavailable': 'The journal cannot be read right now. {cause}',

  // Ways an action ended, for people, short.
  'ended.running': 'running',
  'ended.orphaned': 'interrupted: the window that ran it is gone',
  'ended.orphanedHere': 'its end could not be recorded',
  'ended.returned': 'finished',
  'ended.exited': 'finished',
  'ended.cancelled_before_boundary': 'not executed: cancelled first',
  'ended.permission_changed': 'not executed: permission changed',
  'ended.refused_by_tool': 'not executed: the tool refused',
  'ended.failed_before_boundary': 'not executed: failed first',
  'ended.start_not_acknowledged': 'not executed: its start could not be recorded',
  'ended.stopped_before_boundary': 'not executed: the window closed first',
  'ended.timed_out': 'unknown: stopped at its time limit',
  'ended.cancelled_after_boundary': 'unknown: cancelled while running',
  'ended.killed_by_signal': 'unknown: ended by a signal',
  'ended.stopped_by_host': 'unknown: the window closed while it ran',
  'ended.threw': 'unknown: broke off with an error',
  'ended.error_result': 'unknown: answered with an error',
  'ended.unplaced': 'unknown',
  'ended.records_lost': 'unknown: earlier records are lost',
  'ended.tool_execution_outcome_unknown': 'unknown: no answer came',

  // Reviews, for people.
  'review.checked': 'checked by a person',
  'review.toCheck': 'to check',
  'review.toast.waiting': 'Check earlier actions: {actions}. Waiting for you: {call}',
  'review.toast.nobodyWaits':
    'Check earlier actions: {actions}. No call waits any more; approving lets this session go on.',
  'review.action': '{tool} at {time} ({ending})',
  'review.andMore': '{first} and {count} more',
  'review.approve': 'Approve',
  'review.deny': 'Deny',
  'review.open': 'Review…',
  'review.tooLate.approved': 'This was answered before: it is approved.',
  'review.tooLate.denied': 'This was answered before: it is denied.',
  'review.tooLate.closed': 'This is no longer open.',
  'review.notRecorded': 'The answer could not be recorded, so it does not count. {cause} Please answer again.',
  'review.title': 'Check earlier actions',
  'review.explanation':
    'What became of these actions is not known. Check what they changed, then decide. Approving lets this session go on; it proves nothing about them and runs none of them again.',
  'review.heading.earlier': 'Earlier actions',
  'review.heading.waiting': 'Waiting call',
  'review.heading.note': 'What you found (kept with the records)',
  'review.argumentsNotKept':
    'No call waits any more: its arguments were not kept. Approving lets the session go on; the agent calls again.',
  'review.column.tool': 'Tool',
  'review.column.time': 'Time',
  'review.column.ending': 'How it ended',
  'review.column.evidence': 'Evidence',
  'review.recording':
    'Recording your answer… If this stays, the window was restarted meanwhile: open the review again from the status bar.',
  'review.state.approved': 'Approved.',
  'review.state.denied': 'Denied.',
  'review.state.closed': 'No longer open.',
  'review.none': 'Nothing waits for a review.',
  'review.pick': 'Choose what to review',
  'request.toast': 'Allow {tool}? {call}',
  'request.allow': 'Allow Once',
  'request.deny': 'Deny',

  // Evidence, for people.
  'evidence.process': 'process {pid}',
  'evidence.exit': 'exit code {code}',
  'evidence.exit_like_signal': 'exit code {code}, a child of the shell died of {signal}',
  'evidence.signal': 'ended by {signal}',
  'evidence.stopped': 'stopped by Holdfast',
  'evidence.stopped.survivors': 'stopped by Holdfast; still alive afterwards: {pids}',
  'evidence.background_child': 'left a child in the background',
  'evidence.output_truncated': 'output shortened from {total} bytes',
  'evidence.error': 'error {name}',
  'evidence.late_result': 'a later answer said: {outcome}',
  'evidence.person': 'a person noted: {note}',

  // The window.
  'interrupted.one':
    '{tool}, started at {time}, was interrupted when its window went away. Whether it took effect is not known.',
  'interrupted.many':
    '{count} actions were interrupted when their window went away, the first {tool}, started at {time}. Whether they took effect is not known.',
  'journal.setAside':
    '{why} It was set aside, untouched, at {path}. A new journal was begun; each earlier session asks you to check first.',
  'journal.why.not_a_file': 'Where the action journal should be, there is something that is not a file.',
  'journal.why.empty': 'The action journal is empty.',
  'journal.why.not_a_database': 'The action journal is damaged: it is no database any more.',
  'journal.why.foreign': 'Where the action journal should be, there is a database of something else.',
  'journal.why.log_without_database': 'A part of the action journal is missing.',
  'journal.why.damaged': 'The action journal is damaged.',
  'journal.lost':
    'The action journal of this workspace is missing. A new one was started, and each earlier session asks you to check first.',
  'journal.onNetwork':
    'The action journal is on a network file system, where a power cut or a second machine can damage it. Keep the workspace storage on a local disk.',
  'status.toReview': '{count} to review',
  'status.unavailable': 'Journal unavailable',
  'status.tooltip': 'Holdfast: actions with unknown outcome wait for you to check them',
  'journal.empty': 'The journal has no records yet.',
  'journal.title': 'Holdfast journal, newest first',
  'journal.showMore': 'Show more…',
  'session.confirm': 'Start a new Holdfast session?',
  'session.unresolved':
    '{count} actions of this session have unknown outcomes. They stay in the inbox, but no longer hold back what agents do next.',
  'session.allKnown': 'Nothing of this session is unresolved.',
  'session.start': 'Start New Session',
  'session.started': 'A new Holdfast session has begun.',

  // Confirmation of a tool call, in VS Code's own dialog.
  'confirm.runCommand.title': 'Run this command?',
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
    'The line stands {count} time(s) in {file}: nothing was repeated behind your back. Holdfast: Inspect Journal shows the records.',
  'tryIt.broken': 'The story stopped here: {cause}',
  'command.failed': 'Holdfast could not do that. {cause}',
} as const;

export type MessageKey = keyof typeof english;

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

type Values<Key extends MessageKey> = [Placeholders<(typeof english)[Key]>] extends [never]
  ? []
  : [values: Readonly<Record<Placeholders<(typeof english)[Key]>, string | number>>];

/** Says a text of the catalogue. A missing or misspelt placeholder does not compile. */
export type Say = <Key extends MessageKey>(key: Key, ...values: Values<Key>) => string;

/** Looks a text up in the user's language and fills `{name}` placeholders. In the editor: `vscode.l10n.t`. */
export type Translate = (text: string, values: Readonly<Record<string, string | number>>) => string;

export function createSay(translate: Translate): Say {
  return (key, ...values) => translate(english[key], values[0] ?? {});
}

/** Fills placeholders without translating; for Node alone and for tests. */
export const untranslated: Translate = (text, values) =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));

/** The time of day in the person's own zone, e.g. `10:42`. */
export function timeOfDay(at: number): string {
  return new Date(at).toLocaleTimeString([], { timeStyle: 'short' });
}
