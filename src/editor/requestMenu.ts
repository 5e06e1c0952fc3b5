import { commands, QuickPickItemKind, window, type QuickPickItem } from 'vscode';
import type { Answer, GrantSpan } from '../core/decision.ts';
import type { Clock } from '../core/clock.ts';
import type { Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';
import type { Attention } from '../decisions/inbox.ts';
import type { DecisionAnswers } from './decisionAnswers.ts';
import { attentionText } from './decisionText.ts';
import { choose } from './quickPicks.ts';

interface Choice extends QuickPickItem {
  readonly choose?: () => Promise<void>;
}

export interface RequestMenuOptions {
  readonly answers: DecisionAnswers;
  readonly clock: Clock;
  readonly say: Say;
}

/** All answers that a request can have, as a list. Closing it answers nothing (P6). */
export async function showRequestMenu(attention: Attention, options: RequestMenuOptions): Promise<void> {
  const { clock, say } = options;
  const list = window.createQuickPick<Choice>();
  list.title = attentionText(attention, say, clock.now());
  list.placeholder = say(attention.request?.grantable === false ? 'request.ofCall' : 'request.pickAnswer');
  list.matchOnDetail = true;
  // A look at the code that the call is about must not lose the question.
  list.ignoreFocusOut = true;
  list.items = choices(attention, options);
  // Nothing is chosen yet: an Enter that was meant for something else is not a yes.
  list.activeItems = [];
  try {
    const picked = await choose(list);
    list.hide();
    if (picked !== undefined && picked !== 'back') {
      await picked.choose?.();
    }
  } finally {
    list.dispose();
  }
}

function choices(attention: Attention, { answers, say }: RequestMenuOptions): Choice[] {
  const { decision, request } = attention;
  const asked = attention.waiting ?? decision.waiting;
  const tool = asked === null ? '' : plainText(toolLabel(asked.tool));
  const count = 1 + (request?.alike.length ?? 0);
  const give = async (answer: Answer, note: string | null, span: GrantSpan | null): Promise<void> => {
    await answers.giveRequest(attention, answer, 'palette', { note, span });
  };
  const once = count === 1 ? say('request.allow.detail') : say('request.allow.detail.many', { count });
  const remembered: Choice[] = [
    {
      label: `$(history) ${say('request.session')}`,
      detail: say('request.session.detail', { tool }),
      choose: () => give('approved', null, 'session'),
    },
    {
      label: `$(check-all) ${say('request.always')}`,
      detail: say('request.always.detail', { tool }),
      choose: () => give('approved', null, 'always'),
    },
  ];
  return [
    { label: `$(check) ${say('request.allow')}`, detail: once, choose: () => give('approved', null, null) },
    ...(request?.grantable === false ? [] : remembered),
    {
      label: `$(close) ${say('request.deny')}`,
      detail: say('request.deny.detail'),
      choose: () => give('denied', null, null),
    },
    {
      label: `$(comment) ${say('request.denyWithReason')}`,
      detail: say('request.denyWithReason.detail'),
      choose: async () => {
        const note = await window.showInputBox({ prompt: say('request.reason'), ignoreFocusOut: true });
        if (note !== undefined) {
          await give('denied', note.trim() === '' ? null : note.trim(), null);
        }
      },
    },
    { label: '', kind: QuickPickItemKind.Separator },
    {
      label: `$(settings-gear) ${say('permissions.manage')}`,
      choose: async () => {
        await commands.executeCommand('holdfast.managePermissions');
      },
    },
  ];
}
