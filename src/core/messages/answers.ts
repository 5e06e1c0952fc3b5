/** What an agent is answered. Texts about an unknown outcome never say done, failed or refused (P9). */
export const answers = {
  // How an attempt ended.
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
  'outcome.uncertain.connection_lost':
    'Outcome unknown: the connection to the tool was lost after the call had been sent. It may have taken effect fully, partly or not at all.',
  'outcome.uncertain.unplaced': 'Outcome unknown: what was observed fits no rule.',
  'outcome.uncertain.records_lost': 'Outcome unknown: the records of earlier actions are lost.',
  'outcome.uncertain.records_removed': 'Outcome unknown: a person deleted the records of earlier actions.',
  'outcome.uncertain.tool_execution_outcome_unknown':
    'Outcome unknown: no answer came and the claim on the call went stale.',
  'outcome.advice':
    'Do not repeat the call. Check what it changed; the next change in this session waits for a person to check it too. (record {id})',
  'outcome.started': 'This call was sent before and is still running (record {id}). It was not started again.',
  'outcome.orphaned':
    'This call was sent before; the window that ran it is gone and its outcome is unknown (record {id}). It was not started again.',

  // Notes beside an answer.
  'note.completionNotRecorded':
    'The answer above is complete, but the journal could not record it. Until a person has checked it, the call counts as unknown. {cause}',
  'note.identicalCompleted': 'An identical call completed at {time}.',
  'note.alreadyTerminal':
    'The record had been closed before this answer came ({outcome}); the answer was added to it as evidence.',
  'note.tooLate':
    'The answer above came late: nothing had been heard of the call for so long that its record says outcome unknown, and that stays. The answer is kept there as evidence; the next change in this session waits for a person to check it. (record {id})',
  'note.sentBefore': 'This call was sent before (record {id}). It was not run again; a retry needs a new call.',

  // Refusals without a record.
  'refused.unknownTool': 'Not executed: there is no tool {tool}.',
  'refused.toolUnavailable': 'Not executed: {problem}',
  'refused.invalidInput': 'Not executed: {problem}',
  'refused.deniedByRule': 'Not executed: {tool} is denied by {rule} in the settings.',
  'refused.deniedByRule.recorded': 'Not executed: {tool} is denied by {rule} in the settings (decision {id}).',
  'refused.deniedBefore':
    'Not executed: a person denied this very call before (decision {id}), and it is not asked again until they take that back in Holdfast: Manage Permissions. Do not try to get the same effect another way; ask what to do instead.',
  'refused.note': 'The person’s words: {note}',
  'grant.ended': 'the remembered permission was revoked',
  'refused.deniedByPerson':
    'Not executed: a person denied this call (decision {id}). Do not try to get the same effect another way; ask what to do instead.',
  'refused.permissionNeeded':
    'Not executed: a person has to allow this call and nobody is there. The request {id} waits in Holdfast.',
  'refused.requestUsed':
    'Not executed: the permission for this call is no longer valid ({state}). Ask again with a new call.',
  'refused.requestEnded': 'Not executed: the permission request ended without a yes (decision {id}).',
  'refused.recoveryDenied':
    'Not executed: earlier actions of this session have unknown outcomes, and a person denied going on (review {id}). Say what you know about them and ask how to proceed.',
  'refused.recoveryDeniedBefore':
    'Not executed: a person denied this very call before (review {id}), and what was unknown then has not been checked since. It is not asked again until a person opens that review in Holdfast: Review Unresolved Actions.',
  'refused.recoveryNeeded':
    'Not executed: earlier actions of this session have unknown outcomes and nobody is there to check them. The review {id} waits in Holdfast: Review Unresolved Actions.',
  'refused.cancelled': 'Not executed: the call was cancelled while it waited.',
  'refused.journalUnavailable':
    'Not executed: the journal cannot be written, so nothing that changes the world may run; reading tools still work. {cause}',
  'refused.stopping': 'Not executed: Holdfast is stopping.',
  'refused.fault': 'Not executed: Holdfast or the tool broke down before anything was started ({cause}).',
  'refused.changedMeanwhile':
    'what would run is not what was shown any more (a folder or a setting changed meanwhile). Send the call again.',
  'refused.internal':
    'Holdfast could not handle the call because of a fault of its own. Whether anything was executed is unknown: check before you go on. {cause}',

  // The listing of a session's actions.
  'list.none': 'This session has no recorded actions.',
  'list.unresolved': '{count} with unknown outcome; the next change waits for a person to check them.',
  'list.allKnown': 'Nothing is unresolved.',
  'list.action': '{time} {tool}: {ending} (record {id})',
  'list.more': 'Older actions were left out.',
  'list.unavailable': 'The journal cannot be read right now. {cause}',
  'list.input.shape': 'Send an object, empty or with `limit`.',
  'list.input.unknown': 'Leave out {names}: the input takes only `limit`.',
  'list.input.limit': '`limit` must be a whole number from 1 to {most}.',
} as const;
