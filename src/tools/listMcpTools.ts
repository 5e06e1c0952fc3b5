import { createHash } from 'node:crypto';
import * as z from 'zod/v4';
import type { Say } from '../core/messages.ts';
import { toolLabel, type Tool, type ToolCall, type ToolResult, type Validated } from '../core/tool.ts';
import type { ToolDefinition } from './mcp/definition.ts';
import type { ServerStatus } from './mcp/serverStatus.ts';
import type { Trust } from './mcp/trust.ts';

/** Characters of one tool's description and of its schema, and of a whole answer. */
const MOST_DESCRIPTION = 1000;
const MOST_SCHEMA = 8000;
const MOST_TEXT = 60_000;

export const listMcpToolsInput = z.strictObject({
  server: z.string().min(1).optional().describe('The name of one server; all of them where it is left out.'),
});

export type ListMcpToolsInput = z.infer<typeof listMcpToolsInput>;

/** A tool of a server, as far as a listing is concerned. */
export interface ListedTool {
  readonly identity: { readonly name: string };
  readonly readOnly: boolean;
  readonly trust: Trust;
  readonly definition: ToolDefinition;
}

export interface ListedServer {
  readonly id: string;
  /** Undefined where it cannot be used. */
  readonly status: ServerStatus | undefined;
  readonly tools: readonly ListedTool[];
}

export interface Listed {
  readonly servers: readonly ListedServer[];
  /** By server id, a sentence that says why it cannot be used now. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Starts the servers, or one of them, and says what they offer. */
export type ListServers = (only: string | undefined, signal: AbortSignal) => Promise<Listed>;

/**
 * What the user's MCP servers offer, what of it counts as a change, and why. Read-only: a server that is started by it was set up by the user to be
 * used by agents, and no tool is called.
 */
export class ListMcpToolsTool implements Tool<ListMcpToolsInput> {
  readonly identity = { server: 'holdfast', name: 'listMcpTools' };
  readonly definitionHash = createHash('sha256').update('holdfast.listMcpTools 1').digest('hex');
  readonly readOnly = true;
  readonly #list: ListServers;
  readonly #say: Say;

  constructor(list: ListServers, say: Say) {
    this.#list = list;
    this.#say = say;
  }

  describe(): string {
    return toolLabel(this.identity);
  }

  validate(raw: unknown): Validated<ListMcpToolsInput> {
    const parsed = listMcpToolsInput.safeParse(raw ?? {});
    return parsed.success ? { ok: true, input: parsed.data } : { ok: false, problem: this.#say('servers.list.input') };
  }

  async run({ server }: ListMcpToolsInput, { signal }: ToolCall): Promise<ToolResult> {
    const { servers, problems } = await this.#list(server, signal);
    return { text: this.#text(server, servers, problems), observed: { kind: 'returned' } };
  }

  #text(only: string | undefined, all: readonly ListedServer[], problems: ReadonlyMap<string, string>): string {
    const say = this.#say;
    const servers = only === undefined ? all : all.filter(({ id }) => id === only);
    if (servers.length === 0) {
      return (only === undefined ? undefined : problems.get(only)) ?? say('servers.none');
    }
    const parts = servers.map((server) => this.#server(server, problems.get(server.id), true));
    const whole = [say('servers.list.intro'), ...parts].join('\n\n');
    if (whole.length <= MOST_TEXT) {
      return whole;
    }
    const short = servers.map((server) => this.#server(server, problems.get(server.id), false));
    return [say('servers.list.intro'), ...short].join('\n\n').slice(0, MOST_TEXT);
  }

  #server({ id, status, tools }: ListedServer, problem: string | undefined, inFull: boolean): string {
    const say = this.#say;
    return [
      say('servers.list.server', { server: id }),
      ...(problem === undefined ? [] : [say('servers.list.unusable', { problem })]),
      ...(status === undefined || problem !== undefined ? [] : [this.#standing(status)]),
      ...tools.map((tool) => this.#tool(tool, inFull)),
    ].join('\n');
  }

  #standing({ trustsHints, givesNoHints, toolCount }: ServerStatus): string {
    const say = this.#say;
    if (toolCount === 0) {
      return say('servers.list.noTools');
    }
    if (!trustsHints) {
      return say('servers.list.untrusted');
    }
    return say(givesNoHints ? 'servers.list.noHints' : 'servers.list.trusted');
  }

  #tool({ identity, readOnly, trust, definition }: ListedTool, inFull: boolean): string {
    const say = this.#say;
    const standing = trust === 'changed' ? 'changedTool' : readOnly ? 'read' : 'change';
    const name = say(`servers.list.${standing}`, { tool: identity.name });
    const { description, inputSchema } = definition;
    const schema = JSON.stringify(inputSchema);
    return [
      name,
      ...(description === undefined || !inFull ? [] : [`  ${description.slice(0, MOST_DESCRIPTION)}`]),
      inFull && schema.length <= MOST_SCHEMA
        ? say('servers.list.schema', { schema })
        : say('servers.list.schemaLeftOut'),
    ].join('\n');
  }
}
