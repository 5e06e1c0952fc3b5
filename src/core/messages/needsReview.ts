/** What the view *Needs Review* says. */
export const needsReview = {
  'tree.review': 'Check {tool}',
  'tree.review.more': 'Check {tool} and {count} more',
  'tree.request': 'Allow {tool}?',
  'tree.request.many': 'Allow {tool} (× {count})?',
  'tree.unreviewed.one': 'Check 1 earlier action',
  'tree.unreviewed': 'Check {count} earlier actions',
  'tree.unreviewed.detail':
    'What became of these actions is not known. Open the review to see them; the next change in this session waits for it.',
  'tree.since': 'since {time}, {session}',
} as const;
