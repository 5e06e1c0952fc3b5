/** What is the matter with the journal, and what to do about it. */
export const journal = {
  // Why it cannot be written or read.
  'journal.unavailable':
    'The journal could not be written or read ({code}). Holdfast opens it again with the next call; see to the disk if this goes on.',
  'journal.workerStopped': "The journal's worker stopped. Holdfast starts it again with the next call.",
  'journal.damaged':
    'The journal is damaged. Reload the window: Holdfast then sets it aside untouched and begins a new one.',
  'journal.closed': 'The journal is closed. Open the workspace again to go on.',
  'journal.inUse':
    'Process {pid}, probably another window, is using this journal. Close the other window of this workspace. If process {pid} is something else, or was in another container or on another machine and is gone, delete {lock}.',
  'journal.maybeInUse':
    'Another window may be using this journal, but its lock cannot be read. If no other window has this workspace open, delete {lock}.',
  'journal.lockGone':
    "This window's lock on the journal is gone, perhaps with the journal's folder. Put the folder back, or reload the window.",
  'journal.gone': 'The journal in {folder} is gone or damaged. Put it back, or reload the window to begin a new one.',
  'journal.replaced':
    'Another journal stands where this window had its own open. Put the folder back, or reload the window.',
  'journal.newer':
    'The journal was written by a newer Holdfast (its schema is {found}, this one knows {known}). Update the extension. The journal was left as it is.',
  'journal.noWriteAheadLog':
    'The journal could not be switched to a write-ahead log (it is in mode {mode}). Move its folder to a local disk.',
  'journal.wrongEngine':
    'The file sql-wasm.wasm is not the one of sql.js {version} that Holdfast was built for (its checksum is {sha256}). Install Holdfast again.',
  'journal.engineWithoutImport':
    'The file sql-wasm.wasm does not import {syscall} under the name "{name}". Install Holdfast again.',
  'journal.key.unusable': 'The key of the argument hashes could not be read or made: see to {file} ({code}).',
  'journal.key.notAKey':
    '{file} is not a key of the argument hashes. Delete it; hashes of earlier calls then no longer match new ones.',
  'journal.key.wentAway': '{file} went away while it was made. Try again.',
  /** What only a mistake of ours can bring about. */
  'journal.misused': 'Holdfast used its journal wrongly: {detail}',

  // Why a call's input has no record.
  'journal.notJson.tooDeep':
    'The input cannot be recorded as JSON: it is nested more than {levels} levels deep. Send plain data.',
  'journal.notJson.type': 'The input cannot be recorded as JSON: it holds a value of type {type}. Send plain data.',
  'journal.notJson.array':
    'The input cannot be recorded as JSON: it holds an array with holes or with names of its own. Send plain data.',
  'journal.notJson.object':
    'The input cannot be recorded as JSON: it holds an object that is more than plain data. Send plain data.',
  'journal.notJson.members':
    'The input cannot be recorded as JSON: it holds an object with symbols, hidden members or getters. Send plain data.',
  'journal.notJson.number':
    'The input cannot be recorded as JSON: it holds a number that is not finite. Send plain data.',
  'journal.notJson.surrogate':
    'The input cannot be recorded as JSON: it holds half of a UTF-16 surrogate pair. Send plain data.',
  'journal.notJson.tooLarge':
    'The input cannot be recorded as JSON: it is larger than 16 million characters. Send less.',

  // What was found when it was opened.
  'journal.setAside':
    '{why} It was set aside, untouched, at {path}. A new journal was begun; each earlier session asks you to check first.',
  'journal.why.not_a_file': 'Where the action journal should be, there is something that is not a file.',
  'journal.why.empty': 'The action journal is empty.',
  'journal.why.not_a_database': 'The action journal is damaged: it is no database any more.',
  'journal.why.foreign': 'Where the action journal should be, there is a database of something else.',
  'journal.why.log_without_database': 'A part of the action journal is missing.',
  'journal.why.damaged': 'The action journal is damaged.',
  'journal.why.reset': 'The action journal was reset by a person.',
  'journal.lost':
    'The action journal of this workspace is missing. A new one was started, and each earlier session asks you to check first.',
  'journal.onNetwork':
    'The action journal is on a network file system, where a power cut or a second machine can damage it. Keep the workspace storage on a local disk.',

  // Another journal from now on.
  'journal.changedOver':
    'Another window has changed this workspace over to another journal. Reload this window, and it goes on there.',
  'carryOver.otherUser':
    'Some of these actions were carried over before, under the database role {user}. Use that role again, or review them where they are.',

  // Its list.
  'journal.empty': 'The journal has no records yet.',
  'journal.title': 'Holdfast journal, newest first',
  'journal.showMore': 'Show more…',
} as const;
