/** What the view *Needs Review* says. */
export const needsReview = {
  'tree.looking': 'Looking into the journal…',
  'tree.badge': 'Waiting for you: {count}',
  'tree.more': '{tool} and {count} more',
  'tree.many': '{tool} × {count}',
  'tree.review.since': 'check · {time} · {session}',
  'tree.request.since': 'asks · {time} · {session}',
  'tree.unreviewed.one': '1 earlier action',
  'tree.unreviewed': '{count} earlier actions',
  'tree.unreviewed.where': 'check · {session}',
  'tree.unreviewed.detail':
    'What became of this is not known. The next change in this session waits until you have checked; open the review to do so now.',
} as const;
