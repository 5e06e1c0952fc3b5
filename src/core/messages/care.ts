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
} as const;
