import type { Clock } from '../../core/clock.ts';
import type { StopCause } from '../../core/evidence.ts';
import type { Log } from '../../core/log.ts';
import type { Say } from '../../core/messages.ts';
import {
  toolLabel,
  type Tool,
  type ToolCall,
  type ToolIdentity,
  type ToolResult,
  type Validated,
} from '../../core/tool.ts';
import { attests, attestsNotExecuted } from './attestation.ts';
import { declaresReadOnly, hashOf, taskSupportOf, type ToolDefinition } from './definition.ts';
import { describeCall } from './description.ts';
import type { Lease, Ready } from './readiness.ts';
import { resultText } from './resultText.ts';
import { schemaCheck, type SchemaCheck } from './schemaCheck.ts';
import type { Sdk } from './sdk.ts';
import { send, type CallEnd } from './sentCall.ts';
import type { Trust } from './trust.ts';

export interface McpToolOptions {
  readonly server: string;
  readonly definition: ToolDefinition;
  readonly trust: Trust;
  readonly sdk: Sdk;
  /** Starts the server if need be. */
  readonly ready: (signal: AbortSignal) => Promise<Ready>;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/** One tool of an MCP server, as it was discovered over one connection. A tool that is defined anew is a new one. */
export class McpTool implements Tool<Record<string, unknown>> {
  readonly identity: ToolIdentity;
  readonly definitionHash: string;
  /** Declared by a server whose declarations the user trusts, in the definition that they trusted; else never (M2, M3). */
  readonly readOnly: boolean;
  readonly definition: ToolDefinition;
  readonly trust: Trust;
  readonly #options: McpToolOptions;
  readonly #checkInput: SchemaCheck;
  readonly #checkOutput: SchemaCheck | undefined;

  constructor(options: McpToolOptions) {
    const { server, definition, trust, sdk } = options;
    this.#options = options;
    this.definition = definition;
    this.trust = trust;
    this.identity = { server, name: definition.name };
    this.definitionHash = hashOf(server, definition);
    this.readOnly = trust === 'trusted' && declaresReadOnly(definition);
    this.#checkInput = schemaCheck(sdk, definition.inputSchema);
    this.#checkOutput = definition.outputSchema === undefined ? undefined : schemaCheck(sdk, definition.outputSchema);
  }

  describe(input: Record<string, unknown>): string {
    const { server, say } = this.#options;
    const call = describeCall(this.identity, input);
    return this.trust === 'changed' ? `${call}\n${say('mcp.describe.changed', { server })}` : call;
  }

  validate(raw: unknown): Validated<Record<string, unknown>> {
    const { say } = this.#options;
    const input = raw ?? {};
    const tool = toolLabel(this.identity);
    if (typeof input !== 'object' || Array.isArray(input)) {
      return { ok: false, problem: say('mcp.input.object', { tool }) };
    }
    const problem = this.#checkInput(input);
    return problem === undefined
      ? { ok: true, input: input as Record<string, unknown> }
      : { ok: false, problem: say('mcp.input.schema', { tool, problem }) };
  }

  async run(input: Record<string, unknown>, call: ToolCall): Promise<ToolResult> {
    const { say } = this.#options;
    const ready = await this.#options.ready(call.signal);
    if ('stopped' in ready) {
      return { text: '', observed: { kind: 'stopped', cause: ready.stopped } };
    }
    if ('problem' in ready) {
      return notSent(ready.problem, call);
    }
    let end: CallEnd | undefined;
    const signal = AbortSignal.any([call.signal, ready.life]);
    try {
      if (ready.hashOf(this.identity.name) !== this.definitionHash) {
        return notSent(say('mcp.notSent.changed', { tool: toolLabel(this.identity) }), call);
      }
      if (signal.aborted) {
        return { text: '', observed: { kind: 'stopped', cause: signal.reason as StopCause } };
      }
      end = await this.#send(input, call, ready, signal);
    } finally {
      ready.release(end?.kind);
    }
    return this.#resultOf(end, call);
  }

  async #send(
    input: Record<string, unknown>,
    call: ToolCall,
    { connection, limits }: Lease,
    signal: AbortSignal,
  ): Promise<CallEnd> {
    const { clock, log, server } = this.#options;
    let steps = 0;
    return await send({
      connection,
      name: this.identity.name,
      input,
      asTask: connection.offersTasks && this.#runsAsTask,
      limits,
      signal,
      clock,
      onHandOver: () => {
        call.boundaryCrossed();
      },
      onProgress: () => {
        call.progress(`${toolLabel(this.identity)}: ${++steps}`);
      },
      onTask: (taskId) => call.keep({ kind: 'task', taskId }),
      onCancel: () => {
        call.evidence({ kind: 'cancel_sent' });
      },
      onLate: (said) => {
        call.evidence({ kind: 'late_answer', said });
        log.trace('late answer of an MCP server', { server, action: call.actionId, said });
      },
    });
  }

  /** The server's offer counts where its declarations do. */
  get #runsAsTask(): boolean {
    const support = taskSupportOf(this.definition);
    // One that must be called so can be called in no other way.
    return support === 'required' || (support === 'optional' && this.trust === 'trusted');
  }

  #resultOf(end: CallEnd, call: ToolCall): ToolResult {
    const { say, server } = this.#options;
    switch (end.kind) {
      case 'answered':
        return this.#answered(end.raw, call);
      case 'error_frame':
        return { text: say('mcp.end.errorFrame', { message: end.message }), observed: { kind: 'error_result' } };
      case 'task_cancelled':
        return { text: say('mcp.end.taskCancelled', { server }), observed: { kind: 'error_result' } };
      case 'task_unclear':
        return { text: say('mcp.end.taskUnclear', { server }), observed: { kind: 'error_result' } };
      case 'lost':
        call.evidence({ kind: 'connection_lost', causeId: end.causeId });
        return { text: say('mcp.end.lost', { server }), observed: { kind: 'lost', causeId: end.causeId } };
      case 'stopped':
        call.evidence({ kind: 'stopped', cause: end.cause, survivors: [] });
        return { text: say(`mcp.end.${end.cause}`), observed: { kind: 'stopped', cause: end.cause } };
    }
  }

  #answered(raw: unknown, call: ToolCall): ToolResult {
    const { say, sdk, server } = this.#options;
    const failed = (text: string): ToolResult => ({ text, observed: { kind: 'error_result' } });
    const parsed = sdk.CallToolResultSchema.safeParse(raw);
    // The SDK's schema fills in what is missing; a result has one of the two.
    if (!parsed.success || !hasContent(raw)) {
      return failed(say('mcp.end.malformed'));
    }
    const result = parsed.data;
    const { text, keptBytes, totalBytes } = resultText(result, say);
    if (keptBytes < totalBytes) {
      call.evidence({ kind: 'output_truncated', keptBytes, totalBytes });
    }
    if (this.trust === 'trusted' && attestsNotExecuted(raw)) {
      call.evidence({ kind: 'attested_not_executed' });
      return notSent(say('mcp.end.attested', { server, text }), call);
    }
    const { structuredContent } = result;
    if (result.isError === true || attests(raw) || structuredContent?.['success'] === false) {
      return failed(text);
    }
    if (this.#checkOutput !== undefined) {
      if (structuredContent === undefined) {
        return failed(say('mcp.end.noStructured'));
      }
      const problem = this.#checkOutput(structuredContent);
      if (problem !== undefined) {
        return failed(say('mcp.end.wrongStructured', { problem }));
      }
    }
    return { text, observed: { kind: 'returned' } };
  }
}

/** A read has no row that a refusal could stand in: its caller is told in the answer. */
function notSent(text: string, call: ToolCall): ToolResult {
  if (call.actionId === null) {
    return { text, observed: { kind: 'error_result' } };
  }
  throw call.refusal(text);
}

function hasContent(raw: unknown): boolean {
  const { content, structuredContent } = raw as { readonly content?: unknown; readonly structuredContent?: unknown };
  return content !== undefined || structuredContent !== undefined;
}
