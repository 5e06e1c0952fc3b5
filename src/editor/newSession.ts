import { window } from 'vscode';
import type { Say } from '../core/messages.ts';
import { unresolvedIn } from '../journal/summary.ts';
import type { JournalAccess } from './journalAccess.ts';
import type { WorkspaceSession } from './workspaceSession.ts';

/** *Start New Session*, after saying what stays behind. */
export async function startNewSession(session: WorkspaceSession, access: JournalAccess, say: Say): Promise<void> {
  const journal = await access.journal();
  const summary = await journal.summarize(access.user());
  const count = unresolvedIn(summary, session.caller.scope.session);
  const detail = [
    count === 0 ? say('session.allKnown') : say('session.unresolved', { count }),
    ...(summary.running === 0 ? [] : [say('session.running', { count: summary.running })]),
  ].join('\n\n');
  const start = say('session.start');
  const choice = await window.showWarningMessage(say('session.confirm'), { modal: true, detail }, start);
  if (choice === start) {
    await session.startNew();
    void window.showInformationMessage(say('session.started'));
  }
}
