import * as z from 'zod/v4';

const MAX_TEXT = 20_000;
const MAX_NAME = 200;

/** Letters first, so that no key is `__proto__`; names in templates are written the same way. */
export const KEY_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** How often a back edge may be taken where the file does not say. */
export const DEFAULT_TRAVERSALS = 3;

const keyOf = (what: string): z.ZodString => z.string().regex(KEY_PATTERN).describe(what);
const template = (what: string): z.ZodString =>
  z
    .string()
    .min(1)
    .max(MAX_TEXT)
    .describe(`${what} May hold references such as {{nodes.build.output}} or {{inputs.version}}.`);

const title = z.string().min(1).max(MAX_NAME).optional().describe('What people see instead of the key.');

const toolReference = {
  server: z
    .string()
    .min(1)
    .max(MAX_NAME)
    .describe('The server that offers the tool: holdfast for its own, else the id of an MCP server.'),
  tool: z.string().min(1).max(MAX_NAME).describe("The tool's own name on that server, e.g. runCommand."),
};

const toolNode = z
  .strictObject({
    type: z.literal('tool').describe('Calls one tool, once.'),
    title,
    ...toolReference,
    arguments: z
      .record(z.string(), z.unknown())
      .default({})
      .describe(
        'What the tool is sent. Texts may hold references; a text that is nothing but one reference keeps its type.',
      ),
    successExitCodes: z
      .array(z.int().min(0).max(0xffff_ffff))
      .min(1)
      .default([0])
      .describe('Exit codes of a command that count as success. Any other is a failure.'),
  })
  .describe('Calls one tool, once.');

const agentNode = z
  .strictObject({
    type: z.literal('agent').describe('Lets a language model work on a prompt.'),
    title,
    prompt: template('What the model is to do.'),
    model: z
      .strictObject({
        vendor: z.string().min(1).max(MAX_NAME).optional().describe('e.g. copilot'),
        family: z.string().min(1).max(MAX_NAME).optional().describe('e.g. gpt-4o'),
      })
      .optional()
      .describe('Which model to ask; any that there is without it.'),
    tools: z
      .array(z.strictObject(toolReference))
      .max(100)
      .default([])
      .describe(
        'The only tools that the model may call. Each call is recorded, and asks where your permissions say so.',
      ),
    maxRounds: z
      .int()
      .min(1)
      .max(100)
      .default(10)
      .describe('How often the model may be asked before the node counts as failed.'),
  })
  .describe('Lets a language model work on a prompt.');

const humanNode = z
  .strictObject({
    type: z.literal('human').describe('Asks a person.'),
    title,
    question: template('What the person is asked.'),
    detail: template('What the person should know before answering.').optional(),
    choices: z
      .array(z.string().min(1).max(80))
      .min(1)
      .max(10)
      .optional()
      .describe('The answers to choose from. Without it the person types the answer.'),
  })
  .describe('Asks a person.');

export const edgeSchema = z
  .strictObject({
    from: keyOf('The node that has ended.'),
    to: keyOf('The node that is entered next.'),
    when: z
      .union([
        z.enum(['always', 'on_success', 'on_failure']),
        z.strictObject({
          on_answer: z
            .union([z.string(), z.array(z.string()).min(1)])
            .describe('One choice of the human node, or several.'),
        }),
      ])
      .default('always')
      .describe('Which ending of the node it follows. Nothing follows an unknown outcome: the run pauses.'),
    back: z
      .boolean()
      .default(false)
      .describe('Whether the edge leads back to a node that was walked before: it closes a loop.'),
    maxTraversals: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe(
        'With "back": how often the edge may be taken at most (3 without it). The next matching edge in the list is taken after that.',
      ),
  })
  .describe('A way from one node to the next.');

const edges = z
  .array(edgeSchema)
  .max(20_000)
  .default([])
  .describe('The ways between nodes. An ending that no edge follows ends the run.');
const start = keyOf('The key of the node that is entered first.');
const nodeKey = z.string().regex(KEY_PATTERN);

export const stepNodeSchema = z.discriminatedUnion('type', [toolNode, agentNode, humanNode]);

const foreachNode = z
  .strictObject({
    type: z.literal('foreach').describe('Walks its body once for each item of a list.'),
    title,
    over: z
      .string()
      .min(1)
      .max(MAX_TEXT)
      .describe('One reference to a list, e.g. {{nodes.list.lines}} or {{inputs.files}}.'),
    maxItems: z
      .int()
      .min(1)
      .max(10_000)
      .describe('The longest list that is walked. With a longer one the node fails before its first item.'),
    onItemFailure: z
      .enum(['stop', 'continue'])
      .default('stop')
      .describe('Whether the items after a failed one are walked. The node counts as failed either way.'),
    body: z
      .strictObject({
        start,
        nodes: z.record(nodeKey, stepNodeSchema).describe('The nodes of the body, by key.'),
        edges,
      })
      .describe('What is walked for each item, {{item}}. Its keys must differ from all others in the file.'),
  })
  .describe('Walks its body once for each item of a list, one after the other.');

const description = z.string().max(MAX_TEXT).optional().describe('For whoever starts a run.');
export const inputSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), description, default: z.string().max(MAX_TEXT).optional() }),
  z.strictObject({ type: z.literal('number'), description, default: z.number().optional() }),
  z.strictObject({ type: z.literal('boolean'), description, default: z.boolean().optional() }),
  z.strictObject({
    type: z.literal('list'),
    description,
    default: z.array(z.string().max(MAX_TEXT)).max(10_000).optional(),
  }),
]);

export const nodeSchema = z.discriminatedUnion('type', [toolNode, agentNode, humanNode, foreachNode]);

const limits = z.strictObject({
  maxNodeEntries: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .describe('How often nodes may be entered, all together, before the run fails.'),
  maxMinutes: z
    .number()
    .min(1)
    .max(10_080)
    .default(60)
    .describe('Minutes of work before the run fails. Time in which it is paused or waits for a person does not count.'),
});

/** What the loader judges a file by. */
export const pipelineSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1).max(MAX_NAME).describe('What people see in the list of pipelines.'),
    description: z.string().max(MAX_TEXT).optional().describe('What it is for.'),
    attended: z
      .boolean()
      .default(true)
      .describe(
        'Whether a person may be asked. Where nobody can be, what needs a person is refused and the run pauses.',
      ),
    limits: limits.prefault({}).describe('Backstops for the whole run.'),
    inputs: z
      .record(nodeKey, inputSchema)
      .default({})
      .describe('What a run is given at its start, by name: {{inputs.version}}.'),
    start,
    nodes: z
      .record(nodeKey, nodeSchema)
      .describe('The nodes, by key. Keys begin with a letter and hold letters, digits, _ and -.'),
    edges,
  })
  .describe(
    'A pipeline of Holdfast: nodes that are walked one after the other, with a checkpoint at the entry of each.',
  );

export type EdgeSource = z.output<typeof edgeSchema>;
export type StepSource = z.output<typeof stepNodeSchema>;
export type NodeSource = z.output<typeof nodeSchema>;
export interface GraphSource {
  readonly start: string;
  readonly nodes: Readonly<Record<string, NodeSource>>;
  readonly edges: readonly EdgeSource[];
}
export type InputSource = z.output<typeof inputSchema>;
export type PipelineSource = z.output<typeof pipelineSchema>;

/** The same as JSON schema, for completion in the editor (media/schemas/pipeline.schema.json). */
export function pipelineJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(pipelineSchema, { io: 'input', target: 'draft-7' }) };
}
