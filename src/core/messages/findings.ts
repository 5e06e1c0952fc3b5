/** What a person found out about an action whose outcome is unknown, told to people and agents. It changes no record (P3, P5). */
export const findings = {
  'found.happened': 'a person found that it happened',
  'found.did_not_happen': 'a person found that it did not happen',
  'found.could_not_tell': 'a person looked and could not tell whether it happened',
  'found.noted': '{found}: {note}',
  'found.note': 'a person noted: {note}',

  // To the agent whose call waited meanwhile.
  'found.approved':
    'Note: A person checked earlier actions before this call ran. Their records stay as they are; this is the person’s word:',
  'found.denied': 'What the person found about the earlier actions; their records stay as they are:',
  'found.action': '- {tool} at {time} (record {id}): {found}',
} as const;
