import * as vscode from 'vscode';
import { nextTurn, parseScript } from './script.ts';

/**
 * The parts of VS Code's model provider API that are used here. The pinned types are those of the oldest VS Code that
 * the product supports, which has no such API yet.
 */
interface ModelProvider {
  provideLanguageModelChatInformation(): object[];
  provideTokenCount(model: unknown, text: unknown): number;
  provideLanguageModelChatResponse(
    model: unknown,
    messages: readonly Message[],
    options: { readonly tools?: readonly { readonly name: string }[] },
    progress: vscode.Progress<vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart>,
  ): void;
}

interface Message {
  readonly role: vscode.LanguageModelChatMessageRole;
  readonly content: readonly unknown[];
}

interface ModelApi {
  registerLanguageModelChatProvider(vendor: string, provider: ModelProvider): vscode.Disposable;
}

/** Registers one model that follows the script in the user's newest prompt (see `script.ts`). */
export function activate(context: vscode.ExtensionContext): void {
  let calls = 0;
  const provider: ModelProvider = {
    provideLanguageModelChatInformation: () => [
      {
        id: 'scripted-1',
        name: 'Scripted One',
        family: 'scripted',
        version: '1',
        maxInputTokens: 100_000,
        maxOutputTokens: 10_000,
        capabilities: { toolCalling: true, imageInput: false },
        isUserSelectable: true,
        isBYOK: true,
        isDefault: true,
        tooltip: 'Follows the script in the prompt',
      },
    ],
    provideTokenCount: (_model, text) => Math.ceil((typeof text === 'string' ? text.length : 40) / 4),
    provideLanguageModelChatResponse: (_model, messages, options, progress) => {
      const { prompt, results } = conversation(messages);
      const turn = nextTurn(prompt, results, options.tools?.map((tool) => tool.name) ?? []);
      if (turn.kind === 'say') {
        progress.report(new vscode.LanguageModelTextPart(turn.text));
        return;
      }
      calls += 1;
      progress.report(new vscode.LanguageModelTextPart(`Calling ${turn.tool}. `));
      progress.report(new vscode.LanguageModelToolCallPart(`call_${calls}`, turn.tool, turn.input));
    },
  };
  const api = vscode.lm as unknown as ModelApi;
  context.subscriptions.push(api.registerLanguageModelChatProvider('scripted', provider));
  tellWhenReady(context);
}

/** A prompt that is sent before VS Code's chat has activated is answered by a dialog that asks to sign in. */
function tellWhenReady(context: vscode.ExtensionContext): void {
  const ready = vscode.window.createStatusBarItem('ready', vscode.StatusBarAlignment.Right);
  ready.text = 'Chat ready';
  context.subscriptions.push(ready);
  void vscode.extensions
    .getExtension('GitHub.copilot-chat')
    ?.activate()
    .then(() => {
      ready.show();
    });
}

/** The newest user message that holds a script, and the tool results that came after it. */
function conversation(messages: readonly Message[]): { prompt: string; results: string[] } {
  const texts = messages.map((message) =>
    message.role === vscode.LanguageModelChatMessageRole.User ? textOf(message.content) : '',
  );
  const at = texts.findLastIndex((text) => parseScript(text).length > 0);
  const results = messages
    .slice(at + 1)
    .flatMap((message) => message.content)
    .filter((part) => part instanceof vscode.LanguageModelToolResultPart)
    .map((part) => textOf(part.content));
  return { prompt: texts[at] ?? '', results };
}

function textOf(parts: readonly unknown[]): string {
  return parts
    .filter((part) => part instanceof vscode.LanguageModelTextPart)
    .map((part) => part.value)
    .join('\n');
}
