import { Emitter, type Event } from '../../core/emitter.ts';
import type { Scope } from '../../core/scope.ts';
import type { CommandDescription } from './description.ts';
import type { OutputBuffer } from './output.ts';
import type { CommandEnd } from './resultText.ts';

/** A command that was started, as it is shown. */
export interface StartedCommand {
  readonly actionId: string;
  readonly scope: Scope;
  readonly pid: number;
  /** Its caller did not wait for its end. */
  readonly background: boolean;
  readonly description: CommandDescription;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** What it has printed so far. */
  readonly output: OutputBuffer;
}

/** One command, seen from outside: what runs, its output as it comes, its end. In memory only (P10). */
export class CommandWatch {
  readonly command: StartedCommand;
  readonly #stop = new AbortController();
  readonly #ended = new Emitter<CommandEnd>(() => {
    // Who only watches must not disturb the command.
  });
  #end: CommandEnd | undefined;

  constructor(command: StartedCommand) {
    this.command = command;
  }

  /** How it ended; undefined while it runs. */
  get end(): CommandEnd | undefined {
    return this.#end;
  }

  get onEnded(): Event<CommandEnd> {
    return this.#ended.event;
  }

  /** Aborted when somebody asks to stop the command. */
  get stopAsked(): AbortSignal {
    return this.#stop.signal;
  }

  /** Asks for the command's end: what it did by then is unknown. Its end is told by {@link onEnded}. */
  stop(): void {
    this.#stop.abort('cancelled');
  }

  /** Waits for the end. */
  untilEnded(): Promise<CommandEnd> {
    if (this.#end !== undefined) {
      return Promise.resolve(this.#end);
    }
    return new Promise((resolve) => {
      const subscription = this.onEnded((end) => {
        subscription.dispose();
        resolve(end);
      });
    });
  }

  /** For the one who runs the command. */
  ended(end: CommandEnd): void {
    this.#end = end;
    this.#ended.fire(end);
  }
}
