import { l10n, window, type ExtensionContext } from 'vscode';
import { systemClock } from './core/clock.ts';
import { describe, messageOf } from './core/errors.ts';
import { createSay } from './core/messages.ts';
import { registerCareCommands } from './editor/careCommands.ts';
import { registerCommands } from './editor/commands.ts';
import { registerLanguageModelTools } from './editor/languageModelTools.ts';
import { LazyRuntime } from './editor/lazyRuntime.ts';
import { createLogChannel } from './editor/logChannel.ts';
import { REVIEW_PANEL } from './editor/names.ts';
import { registerMcpCommands } from './editor/mcpCommands.ts';
import { registerMcpTools } from './editor/mcpLanguageModelTools.ts';
import { McpView } from './editor/mcpView.ts';
import { NeedsReview } from './editor/needsReview.ts';
import { storagePaths } from './editor/paths.ts';
import { PauseSwitch } from './editor/pauseSwitch.ts';
import type { Runtime } from './editor/runtime.ts';
import { StatusBar } from './editor/statusBar.ts';
import { JournalMarker } from './journal/sqlite/marker.ts';

/** What `deactivate` has to end; VS Code hands it nothing. */
const active: { runtime: LazyRuntime<Runtime> | undefined } = { runtime: undefined };

/** Offers tools and commands and reads one small file. Everything else is loaded by the first call that needs it. */
export function activate(context: ExtensionContext): void {
  const log = createLogChannel();
  const say = createSay(l10n.t);
  const statusBar = new StatusBar(say);
  const pause = new PauseSwitch(context.workspaceState, say);
  const paths = storagePaths(context);
  const marker = new JournalMarker(paths.markerFile, systemClock, log);

  const lazy = new LazyRuntime<Runtime>(async () => {
    const loaded = await import('./editor/runtime.ts');
    return new loaded.Runtime({ context, paths, marker, statusBar, pause, needsReview, mcpView, log, say });
  });
  active.runtime = lazy;
  const runtime = lazy.get;

  const load = async (): Promise<void> => {
    try {
      await (await runtime()).load();
    } catch (error) {
      log.warn('journal not opened', { error: messageOf(error) });
      statusBar.showUnavailable(describe(error, say));
      needsReview.showUnavailable(describe(error, say));
    }
  };
  const needsReview = new NeedsReview(load, log, say);
  const mcpView: McpView = new McpView({ runtime, log, say });

  context.subscriptions.push(
    log,
    statusBar,
    pause,
    needsReview,
    mcpView,
    registerLanguageModelTools({ runtime, log, say }),
    registerMcpTools({ runtime, log, say }),
    registerCommands(runtime, say),
    registerMcpCommands(runtime, say),
    registerCareCommands(runtime, say),
    window.registerWebviewPanelSerializer(REVIEW_PANEL, {
      deserializeWebviewPanel: async (panel, state: unknown) => (await runtime()).desk.revive(panel, state),
    }),
  );
  log.trace('host ready', { pid: process.pid });

  if (marker.at(marker.usedLocation ?? 'embedded').read().raised) {
    // An earlier window may have left something unresolved: say so, but never hold up the start.
    void load();
  }
}

/** Takes no more calls, stops and records what runs, closes the journal. All extensions share five seconds for this. */
export async function deactivate(): Promise<void> {
  await active.runtime?.stop();
}
