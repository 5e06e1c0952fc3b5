import {
  CancellationTokenSource,
  EventEmitter,
  LanguageModelTextPart,
  lm,
  window,
  workspace,
  type TerminalDimensions,
} from 'vscode';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from '../core/errors.ts';
import type { Say } from '../core/messages.ts';

const FILE = 'holdfast-try-it.txt';
const LIMIT_SECONDS = 3;

/**
 * *Holdfast: Try It*: a scripted agent, without any AI account, that calls the real tools through VS Code's own surface. It appends a
 * line and outlives its limit, then tries the next change, which waits for a review. The story is told in a terminal that is
 * nobody's TTY: nothing of it is written to disk.
 */
export function playTryIt(say: Say): void {
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (folder === undefined) {
    void window.showInformationMessage(say('tryIt.needsFolder'));
    return;
  }
  const output = new EventEmitter<string>();
  const cancel = new CancellationTokenSource();
  const terminal = window.createTerminal({
    name: 'Holdfast: Try It',
    pty: {
      onDidWrite: output.event,
      open: (size: TerminalDimensions | undefined) =>
        void play(folder, new Teller(output, size?.columns ?? 80), cancel, say),
      close: () => {
        cancel.cancel();
        output.dispose();
        cancel.dispose();
      },
    },
  });
  terminal.show(true);
}

async function play(folder: string, teller: Teller, cancel: CancellationTokenSource, say: Say): Promise<void> {
  const line = new Date().toISOString();
  try {
    teller.narrate(say('tryIt.intro'));

    teller.narrate(say('tryIt.first', { limit: LIMIT_SECONDS }));
    await call('holdfast_runCommand', { command: appendThenHang(line), timeoutSeconds: LIMIT_SECONDS }, teller, cancel);

    teller.narrate(say('tryIt.second'));
    await call('holdfast_runCommand', { command: append(`after the review of ${line}`) }, teller, cancel);

    teller.narrate(say('tryIt.third'));
    await call('holdfast_listActions', {}, teller, cancel);

    const lines = (await readFile(join(folder, FILE), 'utf8')).split(/\r?\n/);
    const count = lines.filter((text) => text === line).length;
    teller.narrate(say('tryIt.end', { file: FILE, count }));
  } catch (error) {
    teller.narrate(say('tryIt.broken', { cause: describe(error, say) }));
  }
}

async function call(tool: string, input: object, teller: Teller, cancel: CancellationTokenSource): Promise<void> {
  teller.agent(`${tool} ${JSON.stringify(input)}`);
  const result = await lm.invokeTool(tool, { input, toolInvocationToken: undefined }, cancel.token);
  for (const part of result.content) {
    if (part instanceof LanguageModelTextPart) {
      teller.answer(part.value);
    }
  }
}

function append(text: string): string {
  return process.platform === 'win32' ? `Add-Content ${FILE} '${text}'` : `echo '${text}' >> ${FILE}`;
}

function appendThenHang(text: string): string {
  return process.platform === 'win32' ? `${append(text)}; Start-Sleep 60` : `${append(text)}; sleep 60`;
}

/** Writes the story: what is going on, what the agent calls, what it is answered. */
class Teller {
  readonly #output: EventEmitter<string>;
  readonly #columns: number;

  constructor(output: EventEmitter<string>, columns: number) {
    this.#output = output;
    this.#columns = columns;
  }

  narrate(text: string): void {
    this.#write(`\x1b[1m${this.#wrapped(text)}\x1b[0m\n\n`);
  }

  agent(text: string): void {
    this.#write(`\x1b[36magent>\x1b[0m ${text}\n`);
  }

  answer(text: string): void {
    this.#write(`\x1b[33m${this.#wrapped(text)}\x1b[0m\n\n`);
  }

  /** A terminal breaks lines in the middle of words. */
  #wrapped(text: string): string {
    const piece = new RegExp(`(.{1,${this.#columns - 1}})(?: +|$)`, 'g');
    const lines = text.split('\n').map((line) => line.replace(piece, '$1\n').trimEnd());
    return lines.join('\n');
  }

  #write(text: string): void {
    this.#output.fire(text.replaceAll('\n', '\r\n'));
  }
}
