/** How a person deletes records for good. */
export const removal = {
  'removal.running':
    'An action is running, so nothing was deleted. Let it end or stop it, then try again. Running actions: {count}.',
  'removal.run':
    'These records belong to a pipeline run, whose replay review needs them. Nothing was deleted. Delete the run first.',
  'removal.changed':
    'More is unresolved than you were told, so nothing was deleted. Look again. Actions with unknown outcome: {count}.',
  'removal.leaving': 'The records of this session are being deleted. Try again in a moment.',

  'removal.pick': 'Delete Session: choose the session whose records you want to delete',
  'removal.none': 'There are no records to delete.',
  'removal.counts': 'actions: {actions}',
  'removal.counts.unresolved': 'actions: {actions}, unknown outcome: {unresolved}',
  'removal.row.last': 'last action at {time}',
  'removal.row.never': 'begun at {time}',
  'removal.row.running': 'running: {count}',
  'removal.row.before': 'records deleted before: {count}',

  'removal.confirm': 'Delete the records of {session}?',
  'removal.confirm.all': 'Delete all your records in this journal?',
  'removal.sessions': 'Sessions: {count}.',
  'removal.what': 'Actions with their evidence: {actions}. Decisions: {decisions}. Remembered permissions: {grants}.',
  'removal.unresolved':
    'Not checked by anybody, with unknown outcome: {count}. Once they are deleted, nothing asks you to check them any more. Export them first if you may need them.',
  'removal.settled': 'Nothing in it is unresolved.',
  'removal.tombstone': 'They are deleted for good. What stays is who deleted how many actions, and when.',
  'removal.always':
    'What you remembered for always, and your trust in the tools of MCP servers, go with them. You are asked again.',
  'removal.current': 'It is the session of this workspace: agents go on in a new one.',
  'removal.current.all': 'The session of this workspace is among them: agents go on in a new one.',
  'removal.waiting': 'Calls that wait for your answer are refused. Waiting: {count}.',
  'removal.exported': 'Exported to {file}.',
  'removal.export': 'Export First…',
  'removal.export.title': 'Export Records',
  'removal.export.kind': 'JSON Lines',
  'removal.exporting': 'Exporting records',
  'removal.delete': 'Delete',
  'removal.deleting': 'Deleting records',
  'removal.done': 'Deleted. Actions: {count}.',
  'removal.exportFailed': 'The records could not be exported, and nothing was deleted. {cause}',

  'decision.why.session_removed': 'the records of its session were deleted',
  'refused.sessionRemoved':
    'Not executed: a person deleted the records of this session while the call waited; nothing was run.',

  'tombstone.title': 'Records deleted: {session}',
  'tombstone.actions': 'actions: {count}',
  'tombstone.incomplete': 'being deleted',
  'record.deleted': 'Deleted',
  'record.deletedBy': 'Deleted by',
  'record.deletedActions': 'Actions that it had',
} as const;
