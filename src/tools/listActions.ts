import { createHash } from 'node:crypto';
import * as z from 'zod/v4';
import type { ActionRecord } from '../core/action.ts';
import { howItEnded } from '../core/actionText.ts';
import type { Clock } from '../core/clock.ts';
import { describe } from '../core/errors.ts';
import { pointInTime, type Say } from '../core/messages.ts';
import { toolLabel, type Tool, type ToolCall, type ToolResult, type Validated } from '../core/tool.ts';
import type { Journal } from '../journal/journal.ts';
import { unresolvedIn } from '../journal/summary.ts';

/** The most actions one listing shows. */
const LIST_LIMIT = 50;

export const listActionsInput = z.strictObject({
  limit: z.int().min(1).max(LIST_LIMIT).default(20).describe('How many of the latest actions to list.'),
});

export type ListActionsInput = z.infer<typeof listActionsInput>;

/** What the caller's session has done and what of it is unknown. Read-only, and one of our own, so it also answers while the session is gated (P7). */
export class ListActionsTool implements Tool<ListActionsInput> {
  readonly identity = { server: 'holdfast', name: 'listActions' };
  readonly definitionHash = createHash('sha256').update('holdfast.listActions 1').digest('hex');
  readonly readOnly = true;
  readonly #journal: () => Promise<Journal>;
  readonly #say: Say;
  readonly #clock: Clock;

  constructor(journal: () => Promise<Journal>, say: Say, clock: Clock) {
    this.#journal = journal;
    this.#say = say;
    this.#clock = clock;
  }

  describe(): string {
    return toolLabel(this.identity);
  }

  validate(raw: unknown): Validated<ListActionsInput> {
    const parsed = listActionsInput.safeParse(raw ?? {});
    return parsed.success
      ? { ok: true, input: parsed.data }
      : { ok: false, problem: problemOf(parsed.error.issues[0], this.#say) };
  }

  async run({ limit }: ListActionsInput, { scope }: ToolCall): Promise<ToolResult> {
    return { text: await this.#list(limit, scope), observed: { kind: 'returned' } };
  }

  async #list(limit: number, { user, session }: ToolCall['scope']): Promise<string> {
    const say = this.#say;
    try {
      const journal = await this.#journal();
      const { actions, more } = await journal.listActions({ user, session, limit });
      if (actions.length === 0) {
        return say('list.none');
      }
      const unresolved = unresolvedIn(await journal.summarize(user), session);
      return [
        unresolved > 0 ? say('list.unresolved', { count: unresolved }) : say('list.allKnown'),
        ...actions.map((action) => describeAction(action, say, this.#clock.now())),
        ...(more ? [say('list.more')] : []),
      ].join('\n');
    } catch (error) {
      return say('list.unavailable', { cause: describe(error, say) });
    }
  }
}

function problemOf(issue: z.core.$ZodIssue | undefined, say: Say): string {
  if (issue?.code === 'unrecognized_keys') {
    return say('list.input.unknown', { names: issue.keys.map((key) => JSON.stringify(key)).join(', ') });
  }
  return issue?.path[0] === 'limit' ? say('list.input.limit', { most: LIST_LIMIT }) : say('list.input.shape');
}

function describeAction(action: ActionRecord, say: Say, now: number): string {
  return say('list.action', {
    time: pointInTime(action.startedAt, now),
    tool: toolLabel(action.tool),
    ending: howItEnded(action, say),
    id: action.id,
  });
}
