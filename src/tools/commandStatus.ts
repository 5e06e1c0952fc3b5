import { createHash } from 'node:crypto';
import * as z from 'zod/v4';
import type { ActionRecord } from '../core/action.ts';
import type { Clock } from '../core/clock.ts';
import { describe } from '../core/errors.ts';
import type { Say } from '../core/messages.ts';
import { scopeKey, type Scope } from '../core/scope.ts';
import { toolLabel, type Tool, type ToolCall, type ToolResult, type Validated } from '../core/tool.ts';
import type { Journal } from '../journal/journal.ts';
import { MAX_OUTPUT_BYTES } from './shell/output.ts';
import type { RecentCommands } from './shell/recentCommands.ts';
import { paragraphs, pastText, recordedText, SHOWN_OUTPUT_BYTES, statusLine, statusText } from './shell/statusText.ts';

export const commandStatusInput = z.strictObject({
  id: z
    .string()
    .min(1)
    .optional()
    .describe('The record of a command. Without it the commands in the background are listed.'),
  outputBytes: z
    .int()
    .min(1)
    .max(MAX_OUTPUT_BYTES)
    .default(SHOWN_OUTPUT_BYTES)
    .describe('How much of its output to show at most, from the beginning and from the end.'),
});

export type CommandStatusInput = z.infer<typeof commandStatusInput>;

export interface CommandStatusOptions {
  readonly recent: RecentCommands;
  readonly journal: () => Promise<Journal>;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly say: Say;
}

/** How the caller's commands are going and what they have printed. Read-only, so it also answers while the session is gated (P7). */
export class CommandStatusTool implements Tool<CommandStatusInput> {
  readonly identity = { server: 'holdfast', name: 'commandStatus' };
  readonly definitionHash = createHash('sha256').update('holdfast.commandStatus 1').digest('hex');
  readonly readOnly = true;
  readonly #options: CommandStatusOptions;

  constructor(options: CommandStatusOptions) {
    this.#options = options;
  }

  describe(): string {
    return toolLabel(this.identity);
  }

  validate(raw: unknown): Validated<CommandStatusInput> {
    const parsed = commandStatusInput.safeParse(raw ?? {});
    return parsed.success
      ? { ok: true, input: parsed.data }
      : { ok: false, problem: problemOf(parsed.error.issues[0], this.#options.say) };
  }

  async run({ id, outputBytes }: CommandStatusInput, { scope }: ToolCall): Promise<ToolResult> {
    const text = id === undefined ? this.#list(scope) : await this.#status(id, outputBytes, scope);
    return { text, observed: { kind: 'returned' } };
  }

  #list(scope: Scope): string {
    const { recent, clock, say } = this.#options;
    const inBackground = recent.inScope(scope).filter(({ command }) => command.background);
    return inBackground.length === 0
      ? say('shell.status.none')
      : [say('shell.status.list'), ...inBackground.map((watch) => statusLine(watch, say, clock.now()))].join('\n');
  }

  async #status(id: string, outputBytes: number, scope: Scope): Promise<string> {
    const { recent, platform, clock, say } = this.#options;
    const watch = recent.find(id, scope);
    if (watch !== undefined && watch.end === undefined) {
      // As long as it runs the journal knows nothing more, and need not be there.
      return statusText(watch, outputBytes, say, clock.now());
    }
    try {
      const action = await this.#action(id, scope);
      if (watch !== undefined) {
        return paragraphs(
          statusText(watch, outputBytes, say, clock.now()),
          action === undefined ? '' : recordedText(action, say),
        );
      }
      return action === undefined ? say('shell.status.unknown', { id }) : pastText(action, platform, say);
    } catch (error) {
      const unread = say('list.unavailable', { cause: describe(error, say) });
      return watch === undefined ? unread : paragraphs(statusText(watch, outputBytes, say, clock.now()), unread);
    }
  }

  /** The record of a command of this scope: another scope's is as unknown as one that never was. */
  async #action(id: string, scope: Scope): Promise<ActionRecord | undefined> {
    const action = await (await this.#options.journal()).getAction(id);
    const isOurs =
      action !== undefined &&
      scopeKey(action.scope) === scopeKey(scope) &&
      action.tool.server === 'holdfast' &&
      action.tool.name === 'runCommand';
    return isOurs ? action : undefined;
  }
}

function problemOf(issue: z.core.$ZodIssue | undefined, say: Say): string {
  if (issue?.code === 'unrecognized_keys') {
    return say('shell.status.input.unknown', { names: issue.keys.map((key) => JSON.stringify(key)).join(', ') });
  }
  switch (issue?.path[0]) {
    case 'id':
      return say('shell.status.input.id');
    case 'outputBytes':
      return say('shell.status.input.outputBytes', { most: MAX_OUTPUT_BYTES });
    case undefined:
    default:
      return say('shell.status.input.shape');
  }
}
