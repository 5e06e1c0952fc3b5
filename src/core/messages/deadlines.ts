/** What a person reads of deadlines: claims that went stale, and the pass by hand. */
export const deadlines = {
  'settled.one':
    'Nothing was heard of {tool}, started at {time}, for too long. Its outcome is recorded as unknown: whether it took effect is for you to check.',
  'settled.many':
    'Nothing was heard of {count} actions for too long, the first {tool}, started at {time}. Their outcomes are recorded as unknown: whether they took effect is for you to check.',
  'settle.nothing': 'Nothing is overdue.',
  'settle.unknown': 'Actions whose outcome is now recorded as unknown: {count}.',
  'settle.ended': 'Requests that ended without an answer: {count}.',
  'settle.removed': 'Old records that were removed: {count}.',
  'settle.failed': 'Not everything could be settled: the journal did not take it. Run the command again in a while.',
} as const;
