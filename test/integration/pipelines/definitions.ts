/** Pieces of pipelines for tests. The tools are those of the test's world, on the server `test`. */
export const tool = (
  name: string,
  args: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): unknown => ({
  type: 'tool',
  server: 'test',
  tool: name,
  arguments: args,
  ...more,
});

export const human = (question: string, choices?: readonly string[]): unknown => ({
  type: 'human',
  question,
  ...(choices === undefined ? {} : { choices }),
});

export const agent = (prompt: string, tools: readonly string[], more: Record<string, unknown> = {}): unknown => ({
  type: 'agent',
  prompt,
  tools: tools.map((name) => ({ server: 'test', tool: name })),
  ...more,
});

export const edge = (from: string, to: string, when: unknown = 'on_success', more = {}): unknown => ({
  from,
  to,
  when,
  ...more,
});

export const pipeline = (
  start: string,
  nodes: Record<string, unknown>,
  edges: readonly unknown[] = [],
  more: Record<string, unknown> = {},
): string => JSON.stringify({ name: 'Release', start, nodes, edges, ...more });

/** Nodes one after the other, each followed on success. */
export const chain = (nodes: Record<string, unknown>, more: Record<string, unknown> = {}): string => {
  const keys = Object.keys(nodes);
  const edges = keys.slice(1).map((key, index) => edge(keys[index]!, key));
  return pipeline(keys[0]!, nodes, edges, more);
};
