import { Emitter, type Event } from '../../core/emitter.ts';
import { scopeKey, type Scope } from '../../core/scope.ts';
import { CommandWatch, type StartedCommand } from './commandWatch.ts';

/** How many commands that have ended are kept with their output, of those in the background and of the others: each may hold 1 MiB. */
export const KEPT_ENDED = 10;

/** The commands that run in this window and the last ones that did. In memory only: their text and output are kept nowhere else (P10). */
export class RecentCommands {
  #running: readonly CommandWatch[] = [];
  #ended: readonly CommandWatch[] = [];
  readonly #changed = new Emitter<CommandWatch>(() => {
    // Who only watches must not disturb the commands.
  });

  /** A command was started or has ended. */
  get onChanged(): Event<CommandWatch> {
    return this.#changed.event;
  }

  /** Those that run, the latest started first. */
  get running(): readonly CommandWatch[] {
    return this.#running;
  }

  /** Those that run, then those that have ended, the latest first. */
  get all(): readonly CommandWatch[] {
    return [...this.#running, ...this.#ended];
  }

  /** A command of a scope by its action; another scope's is not found. */
  find(actionId: string, scope: Scope): CommandWatch | undefined {
    return this.inScope(scope).find(({ command }) => command.actionId === actionId);
  }

  inScope(scope: Scope): readonly CommandWatch[] {
    return this.all.filter(({ command }) => scopeKey(command.scope) === scopeKey(scope));
  }

  /** For the one who runs commands. */
  begin(command: StartedCommand): CommandWatch {
    const watch = new CommandWatch(command);
    this.#running = [watch, ...this.#running];
    const subscription = watch.onEnded(() => {
      subscription.dispose();
      this.#running = this.#running.filter((each) => each !== watch);
      this.#ended = lastOfEachKind([watch, ...this.#ended]);
      this.#changed.fire(watch);
    });
    this.#changed.fire(watch);
    return watch;
  }
}

/** Quick commands must not push out the end of one in the background, which nobody may have asked for yet. */
function lastOfEachKind(ended: readonly CommandWatch[]): readonly CommandWatch[] {
  const kept = { background: 0, foreground: 0 };
  return ended.filter(({ command }) => ++kept[command.background ? 'background' : 'foreground'] <= KEPT_ENDED);
}
