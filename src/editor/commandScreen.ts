import type { Clock } from '../core/clock.ts';
import { DisposableStore, toDisposable, type Disposable } from '../core/disposable.ts';
import type { Say } from '../core/messages.ts';
import type { CommandWatch, StartedCommand } from '../tools/shell/commandWatch.ts';
import { OutputBuffer, type OutputStream } from '../tools/shell/output.ts';
import { endNotes, endText, type CommandEnd } from '../tools/shell/resultText.ts';
import { TerminalText } from './terminalText.ts';

/** How long output is gathered before it is shown, in milliseconds. */
export const GATHER_MS = 50;

/** The most that is shown of what was gathered: a flood is shortened, so that the window keeps up. Bytes. */
export const GATHERED_BYTES = 64 * 1024;

export interface CommandScreenOptions {
  readonly watch: CommandWatch;
  /** Puts text on the terminal. */
  readonly write: (text: string) => void;
  readonly clock: Clock;
  readonly say: Say;
}

/** One command as a terminal shows it: what runs, what it has printed, what it prints, how it ended. In bounded memory. */
export class CommandScreen implements Disposable {
  readonly #options: CommandScreenOptions;
  readonly #filter = new TerminalText();
  readonly #parts = new DisposableStore();
  #gathered: { readonly buffer: OutputBuffer; readonly stream: OutputStream; readonly timer: Disposable } | undefined;

  constructor(options: CommandScreenOptions) {
    this.#options = options;
    const { watch, say } = options;
    const { command } = watch;
    options.write(NO_CURSOR);
    this.#notice(command.description.command, BOLD);
    const hint = watch.end === undefined ? [say('commands.stop.hint')] : [];
    this.#notice([whereText(command, say), ...hint, ''].join('\n'), FAINT);
    this.#print(command.output.read(say).text);
    if (watch.end !== undefined) {
      this.#showEnd(watch.end);
      return;
    }
    this.#parts.add(command.output.onAppended(this.#gather));
    this.#parts.add(
      watch.onEnded((end) => {
        this.#flush();
        this.#showEnd(end);
      }),
    );
    this.#parts.add(toDisposable(() => this.#gathered?.timer.dispose()));
  }

  dispose(): void {
    this.#parts.dispose();
  }

  readonly #gather = (piece: Buffer): void => {
    if (this.#gathered === undefined) {
      const buffer = new OutputBuffer(GATHERED_BYTES);
      this.#gathered = {
        buffer,
        stream: buffer.stream(),
        timer: this.#options.clock.timer(GATHER_MS, this.#flush),
      };
    }
    this.#gathered.stream.write(piece);
  };

  readonly #flush = (): void => {
    const gathered = this.#gathered;
    if (gathered === undefined) {
      return;
    }
    this.#gathered = undefined;
    gathered.timer.dispose();
    gathered.stream.end();
    this.#print(gathered.buffer.read(this.#options.say).text);
  };

  #showEnd(end: CommandEnd): void {
    const { say } = this.#options;
    this.#options.write(`${PLAIN}\r\n`);
    this.#notice([endText(end, say), ...endNotes(end, say)].join('\n'), BOLD);
  }

  #print(output: string): void {
    const text = this.#filter.filter(output);
    if (text !== '') {
      this.#options.write(text);
    }
  }

  /** What Holdfast itself says. Told apart by its look; a command could imitate that, so nothing is decided here. */
  #notice(text: string, look: string): void {
    const lines = text.split('\n').map((line) => `${look}${new TerminalText().filter(line)}${PLAIN}\r\n`);
    this.#options.write(lines.join(''));
  }
}

const PLAIN = '\u001b[0m';
const BOLD = '\u001b[1m';
const FAINT = '\u001b[2m';
/** Nothing can be typed. */
const NO_CURSOR = '\u001b[?25l';

function whereText({ pid, description: { shell, folder } }: StartedCommand, say: Say): string {
  return shell === null
    ? say('commands.heading.withoutShell', { folder, pid })
    : say('commands.heading.byShell', { shell, folder, pid });
}
