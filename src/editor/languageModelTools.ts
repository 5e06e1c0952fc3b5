import {
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  MarkdownString,
  type CancellationToken,
  type LanguageModelTool,
  type PreparedToolInvocation,
} from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import { describe, HoldfastError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import type { Runtime } from './runtime.ts';

export interface LanguageModelToolsOptions {
  /** Loads what a call needs. */
  readonly runtime: () => Promise<Runtime>;
  readonly log: Log;
  readonly say: Say;
}

/** Offers the tools to VS Code's agents, under the names that package.json declares. */
export function registerLanguageModelTools(options: LanguageModelToolsOptions): Disposable {
  const { say } = options;
  const store = new DisposableStore();
  store.add(
    lm.registerTool('holdfast_runCommand', {
      prepareInvocation: async ({ input }) => ({
        invocationMessage: say('confirm.runCommand.invocation'),
        confirmationMessages: {
          title: say(isInBackground(input) ? 'confirm.runCommand.backgroundTitle' : 'confirm.runCommand.title'),
          message: await described((runtime) => runtime.tools.describeCommand(input), options),
        },
      }),
      invoke: invoke('runCommand', options),
    }),
  );
  store.add(
    lm.registerTool('holdfast_commandStatus', {
      prepareInvocation: (): PreparedToolInvocation => ({ invocationMessage: say('shell.status.invocation') }),
      invoke: invoke('commandStatus', options),
    }),
  );
  store.add(
    lm.registerTool('holdfast_stopCommand', {
      prepareInvocation: async ({ input }) => ({
        invocationMessage: say('shell.stop.invocation'),
        confirmationMessages: {
          title: say('shell.stop.title'),
          message: await described((runtime) => runtime.tools.describeStop(input), options),
        },
      }),
      invoke: invoke('stopCommand', options),
    }),
  );
  store.add(
    lm.registerTool('holdfast_listActions', {
      prepareInvocation: (): PreparedToolInvocation => ({ invocationMessage: say('listing.invocation') }),
      invoke: invoke('listActions', options),
    }),
  );
  return store;
}

/** What would be done. Never throws, as little as the call itself. */
async function described(
  markdown: (runtime: Runtime) => string,
  { runtime, say }: LanguageModelToolsOptions,
): Promise<MarkdownString> {
  try {
    return new MarkdownString(markdown(await runtime()));
  } catch (error) {
    return new MarkdownString(say('confirm.invalid', { problem: describe(error, say) }));
  }
}

/** As far as the question's title is concerned; the call itself is validated. */
function isInBackground(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'background' in input && input.background === true;
}

/** Never throws: VS Code logs the parameters of a call that threw (P10). The answer stands in the text. */
function invoke(name: string, options: LanguageModelToolsOptions): LanguageModelTool<unknown>['invoke'] {
  return answering(name, options, (runtime, input, signal) => runtime.call(name, input, signal));
}

/** The same for a call that takes another way. @param name of our tool, for the log. */
export function answering(
  name: string,
  { runtime, log, say }: LanguageModelToolsOptions,
  call: (runtime: Runtime, input: unknown, signal: AbortSignal) => Promise<{ readonly text: string }>,
): LanguageModelTool<unknown>['invoke'] {
  return async ({ input }, token) => {
    const cancelled = abortOnCancel(token);
    try {
      const answer = await call(await runtime(), input, cancelled.signal);
      return text(answer.text);
    } catch (error) {
      if (HoldfastError.is(error, 'stopped')) {
        return text(describe(error, say));
      }
      log.error('call failed', { tool: name, error: error instanceof Error ? error.name : typeof error });
      return text(say('refused.internal', { cause: describe(error, say) }));
    } finally {
      cancelled.dispose();
    }
  };
}

function text(value: string): LanguageModelToolResult {
  return new LanguageModelToolResult([new LanguageModelTextPart(value)]);
}

function abortOnCancel(token: CancellationToken): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  if (token.isCancellationRequested) {
    controller.abort();
  }
  const subscription = token.onCancellationRequested(() => {
    controller.abort();
  });
  return {
    signal: controller.signal,
    dispose: () => {
      subscription.dispose();
    },
  };
}
