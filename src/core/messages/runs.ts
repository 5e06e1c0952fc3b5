/** Runs of pipelines: why one pauses, ends or cannot go on. */
export const runs = {
  'decision.why.run_deleted': 'its run was deleted',
} as const;
