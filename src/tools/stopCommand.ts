import { createHash } from 'node:crypto';
import * as z from 'zod/v4';
import { untilAborted } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import type { Say } from '../core/messages.ts';
import type { Scope } from '../core/scope.ts';
import { toolLabel, type Tool, type ToolCall, type ToolResult, type Validated } from '../core/tool.ts';
import { fenced } from './shell/description.ts';
import type { RecentCommands } from './shell/recentCommands.ts';
import { paragraphs, SHOWN_OUTPUT_BYTES, statusText } from './shell/statusText.ts';

export const stopCommandInput = z.strictObject({
  id: z.string().min(1).describe('The record of a running command, as the answer to its call named it.'),
});

export type StopCommandInput = z.infer<typeof stopCommandInput>;

export interface StopCommandOptions {
  readonly recent: RecentCommands;
  readonly clock: Clock;
  readonly say: Say;
}

/**
 * Ends a command of the caller's session. That is the cancellation of the command's own action, which its record tells: it becomes
 * `uncertain`, and the next change waits for a person. So the stop is no action of its own (P2), and it is not held back by one
 * either: what runs away must be stoppable while the session is gated.
 */
export class StopCommandTool implements Tool<StopCommandInput> {
  readonly identity = { server: 'holdfast', name: 'stopCommand' };
  readonly definitionHash = createHash('sha256').update('holdfast.stopCommand 1').digest('hex');
  readonly readOnly = false;
  readonly orchestrates = true;
  readonly #options: StopCommandOptions;

  constructor(options: StopCommandOptions) {
    this.#options = options;
  }

  describe(): string {
    return toolLabel(this.identity);
  }

  validate(raw: unknown): Validated<StopCommandInput> {
    const parsed = stopCommandInput.safeParse(raw);
    return parsed.success
      ? { ok: true, input: parsed.data }
      : { ok: false, problem: this.#options.say('shell.stop.input') };
  }

  /** What would be stopped and what follows from that, as Markdown for VS Code's confirmation. */
  describeMarkdown({ id }: StopCommandInput, scope: Scope): string {
    const { recent, say } = this.#options;
    const watch = recent.find(id, scope);
    return watch === undefined || watch.end !== undefined
      ? say('shell.stop.notRunning')
      : paragraphs(say('shell.stop.warning'), fenced(watch.command.description.command));
  }

  async run({ id }: StopCommandInput, { scope, signal }: ToolCall): Promise<ToolResult> {
    return { text: await this.#stop(id, scope, signal), observed: { kind: 'returned' } };
  }

  async #stop(id: string, scope: Scope, signal: AbortSignal): Promise<string> {
    const { recent, clock, say } = this.#options;
    const watch = recent.find(id, scope);
    if (watch === undefined) {
      return paragraphs(say('shell.stop.notRunning'), say('shell.status.unknown', { id }));
    }
    const status = (): string => statusText(watch, SHOWN_OUTPUT_BYTES, say, clock.now());
    if (watch.end !== undefined) {
      return paragraphs(say('shell.stop.endedBefore'), status());
    }
    watch.stop();
    const end = await untilAborted(watch.untilEnded(), signal);
    if (end === undefined) {
      return say('shell.stop.pending');
    }
    if (end.observed.kind === 'exited') {
      return paragraphs(say('shell.stop.endedBefore'), status());
    }
    return paragraphs(status(), say('outcome.advice', { id }));
  }
}
