import * as z from 'zod/v4';
import type { Say } from '../../core/messages.ts';
import type { Validated } from '../../core/tool.ts';

/** The most bytes (UTF-8) that a command, or all arguments together, may have. Linux takes no longer single argument. */
export const MAX_COMMAND_BYTES = 128 * 1024 - 1;

/** The longest time limit that an agent may ask for, or a setting may hold, in seconds. */
export const MAX_TIMEOUT_SECONDS = 3600;

const runCommandSchema = z.strictObject({
  command: z.string().optional().describe("A command line for the user's shell. Send either this or `argv`."),
  argv: z
    .array(z.string())
    .optional()
    .describe('A program and its arguments, run without a shell. Send either this or `command`.'),
  cwd: z
    .string()
    .optional()
    .describe('The folder to run in: absolute, or relative to the first workspace folder (the default).'),
  timeoutSeconds: z
    .number()
    .min(1)
    .max(MAX_TIMEOUT_SECONDS)
    .optional()
    .describe('After this many seconds the command is stopped; what it did by then is unknown. Not with `background`.'),
  background: z
    .boolean()
    .default(false)
    .describe(
      'Answer as soon as the command has started and let it run on, without a time limit. For servers and watchers.',
    ),
  preflight: z
    .boolean()
    .default(true)
    .describe("Whether the shell checks the command's syntax first. Send false when it refuses a valid command."),
});

/** What the agent sends, checked. Exactly one of `command` and `argv` is there. */
export type RunCommandInput = z.output<typeof runCommandSchema>;

/** The tool's input as JSON schema, for the tool's declaration in package.json. */
export function runCommandJsonSchema(): Record<string, unknown> {
  const schema: Record<string, unknown> = { ...z.toJSONSchema(runCommandSchema, { io: 'input' }) };
  // VS Code fixes the dialect itself.
  delete schema['$schema'];
  return schema;
}

/** Checks what an agent sent; a problem is one sentence that says what to send instead (S3). */
export function validateRunCommand(raw: unknown, say: Say): Validated<RunCommandInput> {
  const parsed = runCommandSchema.safeParse(raw);
  if (!parsed.success) {
    return { ok: false, problem: shapeProblem(parsed.error.issues[0], say) };
  }
  const problem = contentProblem(parsed.data, say);
  return problem === undefined ? { ok: true, input: parsed.data } : { ok: false, problem };
}

function shapeProblem(issue: z.core.$ZodIssue | undefined, say: Say): string {
  if (issue?.code === 'unrecognized_keys') {
    return say('shell.input.unknown', { names: issue.keys.map((key) => JSON.stringify(key)).join(', ') });
  }
  switch (issue?.path[0]) {
    case 'command':
      return say('shell.input.command');
    case 'argv':
      return say('shell.input.argv');
    case 'cwd':
      return say('shell.input.cwd');
    case 'timeoutSeconds':
      return say('shell.input.timeoutSeconds', { most: MAX_TIMEOUT_SECONDS });
    case 'background':
      return say('shell.input.background');
    case 'preflight':
      return say('shell.input.preflight');
    case undefined:
    default:
      return say('shell.input.shape');
  }
}

function contentProblem(
  { command, argv, cwd, timeoutSeconds, background }: RunCommandInput,
  say: Say,
): string | undefined {
  if (command !== undefined && argv !== undefined) {
    return say('shell.input.both');
  }
  if (command === undefined && argv === undefined) {
    return say('shell.input.neither');
  }
  if (command?.trim() === '') {
    return say('shell.input.emptyCommand');
  }
  if (argv !== undefined && (argv[0] === undefined || argv[0] === '')) {
    return say('shell.input.emptyArgv');
  }
  if (background && timeoutSeconds !== undefined) {
    return say('shell.input.backgroundLimit');
  }
  const words = argv ?? [command ?? ''];
  for (const text of cwd === undefined ? words : [...words, cwd]) {
    if (text.includes('\0')) {
      return say('shell.input.nul');
    }
    // A lone surrogate reaches the process as another character than the one that was shown.
    if (/\p{Surrogate}/u.test(text)) {
      return say('shell.input.surrogate');
    }
  }
  const bytes = words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  return bytes > MAX_COMMAND_BYTES + 1 ? say('shell.input.tooLong', { most: MAX_COMMAND_BYTES }) : undefined;
}
