import * as z from 'zod/v4';
import type { Validated } from '../../core/tool.ts';

/** The most bytes (UTF-8) that a command, or all arguments together, may have. Linux takes no longer single argument. */
export const MAX_COMMAND_BYTES = 128 * 1024 - 1;

/** The longest time limit that an agent may ask for, in seconds. */
export const MAX_TIMEOUT_SECONDS = 3600;

const TIMEOUT_PROBLEM = `\`timeoutSeconds\` must be a number from 1 to ${MAX_TIMEOUT_SECONDS}.`;
const ARGV_PROBLEM = '`argv` must be a list of strings: the program, then its arguments.';

const runCommandSchema = z
  .strictObject(
    {
      command: z
        .string('`command` must be a string.')
        .optional()
        .describe("A command line for the user's shell. Send either this or `argv`."),
      argv: z
        .array(z.string(ARGV_PROBLEM), ARGV_PROBLEM)
        .optional()
        .describe('A program and its arguments, run without a shell. Send either this or `command`.'),
      cwd: z
        .string('`cwd` must be a string.')
        .optional()
        .describe('The folder to run in: absolute, or relative to the first workspace folder (the default).'),
      timeoutSeconds: z
        .number(TIMEOUT_PROBLEM)
        .min(1, TIMEOUT_PROBLEM)
        .max(MAX_TIMEOUT_SECONDS, TIMEOUT_PROBLEM)
        .optional()
        .describe('After this many seconds the command is stopped; what it did by then is unknown.'),
      preflight: z
        .boolean('`preflight` must be true or false.')
        .default(true)
        .describe("Whether the shell checks the command's syntax first. Send false when it refuses a valid command."),
    },
    { error: describeShapeProblem },
  )
  .superRefine((input, context) => {
    const problem = problemOf(input.command, input.argv, input.cwd);
    if (problem !== undefined) {
      context.addIssue({ code: 'custom', message: problem });
    }
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
export function validateRunCommand(raw: unknown): Validated<RunCommandInput> {
  const parsed = runCommandSchema.safeParse(raw);
  if (parsed.success) {
    return { ok: true, input: parsed.data };
  }
  return { ok: false, problem: parsed.error.issues[0]?.message ?? 'The input does not fit the schema.' };
}

function describeShapeProblem(issue: { readonly code?: string; readonly keys?: unknown }): string {
  if (issue.code === 'unrecognized_keys' && Array.isArray(issue.keys)) {
    const names = issue.keys.map((key) => JSON.stringify(key)).join(', ');
    return `Leave out ${names}: the input takes \`command\` or \`argv\`, \`cwd\`, \`timeoutSeconds\` and \`preflight\`.`;
  }
  return 'Send an object with `command` or `argv`.';
}

function problemOf(
  command: string | undefined,
  argv: readonly string[] | undefined,
  cwd: string | undefined,
): string | undefined {
  if (command !== undefined && argv !== undefined) {
    return 'Send either `command` or `argv`, not both.';
  }
  if (command === undefined && argv === undefined) {
    return 'Send either `command` or `argv`.';
  }
  if (command?.trim() === '') {
    return 'The command is empty: send what to run.';
  }
  if (argv !== undefined && (argv[0] === undefined || argv[0] === '')) {
    return '`argv` is empty: its first item must name the program to run.';
  }
  const words = argv ?? [command ?? ''];
  for (const text of cwd === undefined ? words : [...words, cwd]) {
    if (text.includes('\0')) {
      return 'No process can be sent a NUL character: take it out.';
    }
    // A lone surrogate reaches the process as another character than the one that was shown.
    if (/\p{Surrogate}/u.test(text)) {
      return 'The text holds half of a surrogate pair, which has no UTF-8 form: take it out.';
    }
  }
  const bytes = words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (bytes > MAX_COMMAND_BYTES + 1) {
    return `The command is longer than ${MAX_COMMAND_BYTES} bytes: write it to a script file and run that.`;
  }
  return undefined;
}
