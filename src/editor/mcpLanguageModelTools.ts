import { lm, MarkdownString, type PreparedToolInvocation } from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import { describe } from '../core/errors.ts';
import { plainText } from '../core/plainText.ts';
import { answering, type LanguageModelToolsOptions } from './languageModelTools.ts';

/** Offers the tools of the user's MCP servers to VS Code's agents: one tool that lists them, and one that calls them. */
export function registerMcpTools(options: LanguageModelToolsOptions): Disposable {
  const { say } = options;
  const store = new DisposableStore();
  store.add(
    lm.registerTool('holdfast_listMcpTools', {
      prepareInvocation: (): PreparedToolInvocation => ({ invocationMessage: say('servers.list.invocation') }),
      invoke: answering('listMcpTools', options, (runtime, input, signal) =>
        runtime.call('listMcpTools', input, signal),
      ),
    }),
  );
  store.add(
    lm.registerTool('holdfast_callMcpTool', {
      prepareInvocation: ({ input }) => prepare(input, options),
      invoke: answering('callMcpTool', options, (runtime, input, signal) => runtime.callMcpTool(input, signal)),
    }),
  );
  return store;
}

/** Asks for what counts as a change, and whenever it is not known what it is. Never throws, as little as the call itself. */
async function prepare(input: unknown, { runtime, say }: LanguageModelToolsOptions): Promise<PreparedToolInvocation> {
  const invocationMessage = say('servers.call.invocation', { tool: 'MCP' });
  try {
    const question = (await runtime()).mcp.calls.question(input);
    return question === undefined
      ? { invocationMessage }
      : {
          invocationMessage,
          confirmationMessages: {
            title: plainText(question.title, 200),
            message: new MarkdownString(question.message),
          },
        };
  } catch (error) {
    const message = new MarkdownString(say('confirm.invalid', { problem: describe(error, say) }));
    return { invocationMessage, confirmationMessages: { title: say('servers.call.title', { tool: 'MCP' }), message } };
  }
}
