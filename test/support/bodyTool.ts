import type { Tool, ToolCall, ToolResult, Validated } from '../../src/core/tool.ts';

export type Body = (call: ToolCall, input: unknown) => Promise<ToolResult>;

/** A tool whose body a test writes. Counts how often the body ran. */
export class BodyTool implements Tool {
  readonly identity;
  readonly definitionHash = 'definition-1';
  readonly readOnly: boolean;
  ran = 0;
  readonly #body: Body;

  constructor(name: string, body: Body, readOnly = false) {
    this.identity = { server: 'test', name };
    this.readOnly = readOnly;
    this.#body = body;
  }

  describe(input: unknown): string {
    return JSON.stringify(input);
  }

  validate(raw: unknown): Validated<unknown> {
    return { ok: true, input: raw };
  }

  run(input: unknown, call: ToolCall): Promise<ToolResult> {
    this.ran += 1;
    return this.#body(call, input);
  }
}

/** A body that crosses the boundary and returns normally. */
export const succeeds: Body = (call) => {
  call.boundaryCrossed();
  return Promise.resolve({ text: 'ok', observed: { kind: 'returned' } });
};

/** A body that crosses the boundary and then breaks off. */
export const breaksOff: Body = (call) => {
  call.boundaryCrossed();
  return Promise.reject(new Error('connection reset'));
};

/** A tool whose body crosses the boundary and then runs until the test makes it break off. */
export function breaksOffLater(name: string): { readonly tool: BodyTool; breakOff(): void } {
  let breakOff = (): void => {};
  const tool = new BodyTool(name, (call) => {
    call.boundaryCrossed();
    return new Promise((_resolve, reject) => {
      breakOff = () => {
        reject(new Error('late trouble'));
      };
    });
  });
  return {
    tool,
    breakOff: () => {
      breakOff();
    },
  };
}
