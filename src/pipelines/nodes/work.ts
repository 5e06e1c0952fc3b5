import type { Bridge } from '../../bridge/bridge.ts';
import type { CallAnswer, Refusal } from '../../bridge/call.ts';
import type { Reason } from '../../core/action.ts';
import type { Say } from '../../core/messages.ts';
import type { ToolIdentity } from '../../core/tool.ts';
import type { Json } from '../definition/json.ts';
import type { NodeResult, TemplateContext } from '../definition/results.ts';
import { recordKey, type CheckpointPlace, type RunRecord } from '../run.ts';

/** What came of a node's work. */
export interface WorkEnd {
  readonly result: NodeResult;
  /** Why it was held, or what is unknown; null otherwise. */
  readonly detail: Reason | Refusal | null;
  /** Whether anything of it may have run. */
  readonly ran: boolean;
  readonly usedOutside: boolean;
}

export interface NodeSurroundings {
  readonly run: RunRecord;
  readonly place: CheckpointPlace;
  readonly context: TemplateContext;
  /** A person stops the run, or Holdfast stops. */
  readonly stopped: AbortSignal;
  /** Whether this walk is still the one that walks the run: another host may have found it left, and taken over. */
  readonly isCurrent: () => Promise<boolean>;
  readonly bridge: Pick<Bridge, 'call'>;
  readonly say: Say;
  readonly onProgress: (message: string) => void;
}

/** The one way in which a node calls a tool: through the bridge, with its run and node on the record (P2, G18). */
export function callTool(
  tool: ToolIdentity,
  input: Json,
  { run, place, stopped, isCurrent, bridge, onProgress }: NodeSurroundings,
): Promise<CallAnswer> {
  return bridge.call({
    tool,
    input,
    caller: {
      scope: { user: run.user, session: run.id },
      surface: 'pipeline',
      sessionCreatedAt: run.createdAt,
      agent: run.name,
      attended: run.attended,
      externalCallId: null,
    },
    run: { runId: run.id, nodeKey: recordKey(place) },
    cancelled: stopped,
    isCurrent,
    onProgress,
  });
}

/** The longest text of a result that checkpoints keep: each one holds all results again. */
const LONGEST_TEXT = 64 * 1024;

/** Half of a character, where a cut went through it. */
const HALF_AT_END = /[\uD800-\uDBFF]$/;
const HALF_AT_START = /^[\uDC00-\uDFFF]/;

/** Head and tail of a text that is too long for checkpoints. */
export function kept(text: string, say: Say): string {
  if (text.length <= LONGEST_TEXT) {
    return text;
  }
  const half = LONGEST_TEXT / 2;
  const note = say('run.node.truncated', { count: text.length - LONGEST_TEXT });
  return `${text.slice(0, half).replace(HALF_AT_END, '')}\n${note}\n${text.slice(-half).replace(HALF_AT_START, '')}`;
}
