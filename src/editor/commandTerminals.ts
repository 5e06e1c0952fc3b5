import {
  EventEmitter,
  StatusBarAlignment,
  ThemeIcon,
  commands,
  window,
  type Pseudoterminal,
  type QuickPickItem,
  type Terminal,
} from 'vscode';
import type { Clock } from '../core/clock.ts';
import { DisposableStore, toDisposable, type Disposable } from '../core/disposable.ts';
import { pointInTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import type { CommandWatch } from '../tools/shell/commandWatch.ts';
import type { RecentCommands } from '../tools/shell/recentCommands.ts';
import { endText } from '../tools/shell/resultText.ts';
import { CommandScreen } from './commandScreen.ts';
import { stopAsked } from './commandStop.ts';
import { choose } from './quickPicks.ts';

/** How long a command runs before the status bar mentions it, in milliseconds: most are over by then. */
const MENTION_MS = 1000;

export interface CommandTerminalsOptions {
  readonly recent: RecentCommands;
  readonly clock: Clock;
  readonly say: Say;
}

/**
 * Where a person can watch what agents run. Nothing opens by itself and nothing takes the focus. What is typed goes nowhere: no command
 * shares a terminal with the person (S7).
 */
export class CommandTerminals implements Disposable {
  readonly #options: CommandTerminalsOptions;
  readonly #item = window.createStatusBarItem('holdfast.commands', StatusBarAlignment.Left, 0);
  readonly #open = new Map<CommandWatch, Terminal>();
  readonly #parts = new DisposableStore();
  #mention: Disposable | undefined;

  constructor(options: CommandTerminalsOptions) {
    this.#options = options;
    this.#item.name = options.say('commands.statusName');
    this.#item.command = 'holdfast.showCommandOutput';
    this.#parts.add(this.#item);
    this.#parts.add(options.recent.onChanged(this.#refresh));
    this.#parts.add(options.recent.onChanged(this.#showWhatCanBeStopped));
    this.#parts.add(window.onDidChangeActiveTerminal(this.#showWhatCanBeStopped));
    this.#parts.add(toDisposable(() => this.#mention?.dispose()));
    this.#parts.add(
      toDisposable(() => {
        for (const terminal of this.#open.values()) {
          terminal.dispose();
        }
      }),
    );
  }

  /** *Holdfast: Show Command Output*. With one command there is nothing to choose. */
  async show(): Promise<void> {
    const { recent, say } = this.#options;
    const watches = recent.all;
    if (watches.length === 0) {
      void window.showInformationMessage(say('commands.none'));
      return;
    }
    const [only] = recent.running.length === 1 ? recent.running : watches.length === 1 ? watches : [];
    const chosen = only ?? (await this.#choose(watches, 'commands.choose'));
    if (chosen !== undefined) {
      this.#terminalOf(chosen).show(true);
    }
  }

  dispose(): void {
    this.#parts.dispose();
  }

  /** *Holdfast: Stop Command…*: the one whose terminal is looked at, else the one that runs, else one that is chosen. */
  async stop(): Promise<void> {
    const { recent, say } = this.#options;
    const { running } = recent;
    if (running.length === 0) {
      void window.showInformationMessage(say('commands.noneRunning'));
      return;
    }
    const looked = running.find((watch) => this.#open.get(watch) === window.activeTerminal);
    const [only] = running.length === 1 ? running : [];
    const chosen = looked ?? only ?? (await this.#choose(running, 'commands.chooseToStop'));
    if (chosen !== undefined) {
      await stopAsked(chosen, say);
    }
  }

  /** A list of commands; those that run can be stopped from it. @returns the one that was picked, unless it was to be stopped. */
  async #choose(
    watches: readonly CommandWatch[],
    placeholder: 'commands.choose' | 'commands.chooseToStop',
  ): Promise<CommandWatch | undefined> {
    const { clock, say } = this.#options;
    const list = window.createQuickPick<CommandItem>();
    list.placeholder = say(placeholder);
    list.matchOnDetail = true;
    list.items = watches.map((watch) => itemOf(watch, say, clock.now()));
    let toStop: CommandWatch | undefined;
    const pressed = list.onDidTriggerItemButton(({ item }) => {
      toStop = item.watch;
      list.hide();
    });
    try {
      const picked = await choose(list);
      if (toStop === undefined) {
        return picked === 'back' ? undefined : picked?.watch;
      }
    } finally {
      pressed.dispose();
      list.dispose();
    }
    await stopAsked(toStop, say);
    return undefined;
  }

  #terminalOf(watch: CommandWatch): Terminal {
    const known = this.#open.get(watch);
    if (known !== undefined) {
      return known;
    }
    const { clock, say } = this.#options;
    const terminal = window.createTerminal({
      name: say('commands.terminal', { pid: watch.command.pid }),
      iconPath: new ThemeIcon('shield'),
      isTransient: true,
      pty: pseudoterminal(watch, clock, say, () => this.#open.delete(watch)),
    });
    this.#open.set(watch, terminal);
    return terminal;
  }

  /** A terminal's menu offers to stop its command as long as that runs. */
  readonly #showWhatCanBeStopped = (): void => {
    const { activeTerminal } = window;
    const runs = this.#options.recent.running.some((watch) => this.#open.get(watch) === activeTerminal);
    void commands.executeCommand('setContext', 'holdfast.commandRuns', activeTerminal !== undefined && runs);
  };

  readonly #refresh = (): void => {
    const { recent, clock } = this.#options;
    if (recent.running.length === 0) {
      this.#mention?.dispose();
      this.#mention = undefined;
      this.#item.hide();
    } else if (this.#mention === undefined) {
      this.#mention = clock.timer(MENTION_MS, this.#showRunning);
    } else {
      this.#showRunning();
    }
  };

  readonly #showRunning = (): void => {
    const { recent, say } = this.#options;
    const count = recent.running.length;
    const tooltip = say('commands.running', { count });
    this.#item.text = `$(terminal) ${say('commands.status', { count })}`;
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = { label: `Holdfast: ${tooltip}` };
    this.#item.show();
  };
}

interface CommandItem extends QuickPickItem {
  readonly watch: CommandWatch;
}

function itemOf(watch: CommandWatch, say: Say, now: number): CommandItem {
  const { command, end } = watch;
  const time = pointInTime(command.startedAt, now);
  const icon =
    end === undefined ? '$(sync~spin)' : end.observed.kind === 'exited' ? '$(circle-outline)' : '$(question)';
  return {
    label: `${icon} ${plainText(command.description.command.split('\n')[0] ?? '')}`,
    detail:
      end === undefined
        ? say('commands.item.running', { time, pid: command.pid })
        : say('commands.item.ended', { time, end: endText(end, say) }),
    buttons: end === undefined ? [{ iconPath: new ThemeIcon('debug-stop'), tooltip: say('commands.stop') }] : [],
    watch,
  };
}

function pseudoterminal(watch: CommandWatch, clock: Clock, say: Say, onClosed: () => void): Pseudoterminal {
  const written = new EventEmitter<string>();
  let screen: CommandScreen | undefined;
  return {
    onDidWrite: written.event,
    open: () => {
      screen = new CommandScreen({
        watch,
        write: (text) => {
          written.fire(text);
        },
        clock,
        say,
      });
    },
    // Only the view goes: the command runs on.
    close: () => {
      screen?.dispose();
      written.dispose();
      onClosed();
    },
  };
}
