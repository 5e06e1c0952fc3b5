import * as z from 'zod/v4';
import type { Say } from '../core/messages.ts';
import { toolLabel, type ToolIdentity, type Validated } from '../core/tool.ts';
import { describeCall } from '../tools/mcp/description.ts';
import { fenced } from '../tools/shell/description.ts';
import type { KnownServer } from './mcpHub.ts';
import { reasonOf } from './mcpRows.ts';
import { OWN_SERVER } from './mcpSettings.ts';

export const callMcpToolInput = z.strictObject({
  server: z.string().min(1).describe('The name of the server, as holdfast_listMcpTools gives it.'),
  tool: z.string().min(1).describe('The name of one of its tools.'),
  arguments: z.record(z.string(), z.unknown()).default({}).describe('What the tool takes, by its own schema.'),
});

export interface McpCall {
  readonly identity: ToolIdentity;
  readonly input: Record<string, unknown>;
}

/** What VS Code asks a person before a call. */
export interface McpQuestion {
  readonly title: string;
  /** Markdown: why the call counts as a change, and exactly what would be sent. */
  readonly message: string;
}

/** What is to be said of a call of `holdfast_callMcpTool` before it is made. */
export class McpCalls {
  readonly #servers: { readonly known: readonly KnownServer[] };
  readonly #say: Say;
  /** Tools whose last call was prepared without a question, because it counted as a read. */
  readonly #unasked = new Set<string>();

  constructor(servers: { readonly known: readonly KnownServer[] }, say: Say) {
    this.#servers = servers;
    this.#say = say;
  }

  /** What a call names. */
  read(raw: unknown): Validated<McpCall> {
    const parsed = callMcpToolInput.safeParse(raw);
    if (!parsed.success) {
      return { ok: false, problem: this.#say('servers.call.input') };
    }
    const { server, tool: name, arguments: input } = parsed.data;
    return server === OWN_SERVER
      ? { ok: false, problem: this.#say('servers.call.own') }
      : { ok: true, input: { identity: { server, name }, input } };
  }

  /** What a person is asked first. Undefined: the call counts as a read, as far as its server is known, and nobody is asked. */
  question(raw: unknown): McpQuestion | undefined {
    const say = this.#say;
    const read = this.read(raw);
    if (!read.ok) {
      return {
        title: say('servers.call.title', { tool: '?' }),
        message: say('confirm.invalid', { problem: read.problem }),
      };
    }
    const { identity, input } = read.input;
    if (this.#isRead(identity)) {
      this.#unasked.add(keyOf(identity));
      return undefined;
    }
    this.#unasked.delete(keyOf(identity));
    const message = [this.#reason(identity), fenced(describeCall(identity, input))].join('\n\n');
    return { title: say('servers.call.title', { tool: toolLabel(identity) }), message };
  }

  /** Why a call must not be made as it was prepared: nobody was asked for what counts as a change by now. */
  problemOf(identity: ToolIdentity): string | undefined {
    const key = keyOf(identity);
    if (!this.#unasked.has(key) || this.#isRead(identity)) {
      return undefined;
    }
    this.#unasked.delete(key);
    return this.#say('servers.call.nowChange', { tool: toolLabel(identity) });
  }

  #isRead(identity: ToolIdentity): boolean {
    return this.#toolOf(identity)?.readOnly === true;
  }

  #toolOf({ server, name }: ToolIdentity): KnownServer['tools'][number] | undefined {
    return this.#servers.known.find(({ id }) => id === server)?.tools.find(({ identity }) => identity.name === name);
  }

  #reason(identity: ToolIdentity): string {
    const say = this.#say;
    const { server } = identity;
    const tool = this.#toolOf(identity);
    const status = this.#servers.known.find(({ id }) => id === server)?.status;
    if (tool === undefined || status === undefined) {
      return say('servers.call.why.notStarted');
    }
    return tool.trust === 'changed' ? say('mcp.describe.changed', { server }) : say(reasonOf(status));
  }
}

function keyOf({ server, name }: ToolIdentity): string {
  return JSON.stringify([server, name]);
}
