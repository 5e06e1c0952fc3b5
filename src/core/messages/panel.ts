/** What the panel says that shows a review or a request in full. */
export const panel = {
  'panel.tool': 'Tool',
  'panel.askedBy': 'Why you are asked',
  'panel.agent': 'Who calls',
  'panel.agent.named': '{surface} ({agent})',
  'panel.session': 'Where',
  'panel.asked': 'When',
  'panel.asked.expires': '{time}; refused at {expires} unless you answer',
  'panel.calls': 'Calls',
  'panel.calls.alike': '{count}, all alike; one answer is for all of them',
  'panel.wouldRun': 'What exactly would run',
  'panel.definitionChanged': 'You allowed this tool before. It is defined differently now, so you are asked again.',
  'panel.noEvidence': 'none on record',

  // What was found out about one action.
  'finding.legend': 'What did you find?',
  'finding.about': '{tool}, {time}',
  'finding.happened': 'It happened',
  'finding.did_not_happen': 'It did not happen',
  'finding.could_not_tell': 'Could not tell',
  'finding.note': 'Note on {tool}, {time}',
  'finding.note.placeholder': 'Note (optional)',

  // The answers and what each of them does.
  'panel.review.words': 'Your words to the agent, kept with the records',
  'panel.request.words': 'Your words, kept with the record; the agent reads them if you decline',
  'panel.approve.waiting': 'This session goes on, and the waiting call runs',
  'panel.approve.nobodyWaits': 'This session goes on; nothing runs by it',
  'panel.deny.waiting': 'The waiting call is refused; the earlier actions stay to be checked',
  'panel.deny.nobodyWaits': 'The earlier actions stay to be checked',
  'panel.allowed': 'Allowed.',
  'panel.declined': 'Declined.',
  'request.title': 'Allow this call?',
} as const;
