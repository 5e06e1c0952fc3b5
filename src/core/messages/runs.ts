/** Runs of pipelines: why one pauses, ends or cannot go on. */
export const runs = {
  'decision.why.run_deleted': 'its run was deleted',

  'runs.closed': 'Holdfast is stopping, so the state of pipeline runs is closed.',
  'runs.unavailable':
    'The state of pipeline runs cannot be read or written ({code}), so no run goes on. Mend the disk and try again.',

  // Why a run is not resumed.
  'run.refused.unknown': 'There is no such run.',
  'run.refused.busy': 'Somebody resumes this run already, or waits for its review. Answer that first.',
  'run.refused.running': 'The run is running. Pause it first.',
  'run.refused.ended': 'The run has ended. Rewind it to one of its checkpoints instead.',
  'run.refused.actionRunning': 'An action of the run still runs ({id}). Wait for its end.',
  'run.refused.noCheckpoint': 'The run has no such checkpoint.',
  'run.refused.damaged': 'The checkpoint cannot be read, so the run cannot go on from it. Rewind it to an earlier one.',
  'run.refused.rejected': 'The replay was not approved, so nothing was changed.',
  'run.refused.otherReview': 'A review for another checkpoint of this run is open ({id}). Answer that first.',
  'run.refused.reviewNeeded':
    'A person must review the replay first: “Review pipeline replay” ({id}) waits in Needs Review. Resume the run again after that.',
  'run.refused.stopped': 'The resume was stopped, so nothing was changed.',
  'run.refused.definition': 'The pipeline’s file is not valid any more.',
  'run.refused.unfit': 'The pipeline has changed, and this run cannot go on by it: {differences}',
  'run.refused.overtaken': 'Somebody else has resumed the run meanwhile.',

  // What a node's own result says in the place of a tool's.
  'run.node.templateProblem': 'The node was not run: {problem}',
  'run.node.tooManyItems': 'The list has {count} items, and the pipeline allows {most}.',
  'run.node.noList': 'What the node is to go through is not a list.',
  'run.node.noModel': 'There is no such language model.',
  'run.node.modelFailed': 'The language model failed: {cause}',
  'run.node.roundsUsedUp': 'The model was asked as often as the pipeline allows and did not come to an end.',
  'run.node.toolNotListed': 'This node may not use the tool {tool}.',
  'run.node.truncated': '[… {count} characters were left out]',
} as const;
