import { v7 } from 'uuid';
import { randomFrom, type Random } from '../support/powerLoss.ts';
import { definitionHash, hashKeyId, scope, tool } from './subjects/story.ts';

type Value = string | number | null;

/** One action with all that hangs on it, as rows by table. */
export type SeedRows = readonly { readonly table: string; readonly row: Readonly<Record<string, Value>> }[];

/** The actions of one session follow each other for that many rows of the other half. */
const SESSION_LENGTH = 2_500;
const MS_BETWEEN = 7_800;
const COMMON_COMMANDS = 2_000;
const TOOLS = 6;

/** The tools that every seed knows. */
export function toolRows(): SeedRows {
  return Array.from({ length: TOOLS }, (_, index) => ({
    table: 'tools',
    row:
      index === 0
        ? { tool_id: 1, server: tool.server, name: tool.name, definition_hash: definitionHash }
        : { tool_id: index + 1, server: 'files', name: `tool-${index}`, definition_hash: `${definitionHash}${index}` },
  }));
}

/**
 * A journal of 90 days as a busy workspace leaves it, ended `at`: half of the actions in the workspace's one durable
 * session, most of them finished commands, a third of the arguments sent before, every thirtieth action unknown and
 * acknowledged in a review.
 */
export function* seedActions(count: number, at: number): Generator<SeedRows> {
  const random = randomFrom(count);
  const hashes = Array.from({ length: COMMON_COMMANDS }, () => hash(random));
  const sessions = new Set<string>();
  for (let index = 0; index < count; index++) {
    const startedAt = at - (count - index) * MS_BETWEEN + Math.floor(random() * MS_BETWEEN);
    const session = sessionOf(index, random);
    const rows: { table: string; row: Record<string, Value> }[] = [];
    if (!sessions.has(session)) {
      sessions.add(session);
      const times = { created_at: startedAt, registered_at: startedAt };
      const key = { user_id: scope.user, session_id: session, surface: 'language_model_tool' };
      rows.push({ table: 'sessions', row: { ...key, ...times } });
    }
    rows.push(...actionRows(startedAt, session, random, hashes));
    yield rows;
  }
}

function actionRows(startedAt: number, session: string, random: Random, hashes: readonly string[]): SeedRows {
  const id = idAt(startedAt, random);
  const completedAt = startedAt + Math.floor(20 + random() * 5_000);
  const fate = random();
  const isCommand = random() < 0.7;
  const outcome = fate < 0.93 ? 'completed' : fate < 0.967 ? 'not_executed' : 'uncertain';
  const reason =
    outcome === 'completed'
      ? isCommand
        ? 'exited'
        : 'returned'
      : outcome === 'uncertain'
        ? 'timed_out'
        : 'cancelled_before_boundary';
  const review = outcome === 'uncertain' ? idAt(completedAt, random) : null;
  const action = {
    id,
    user_id: scope.user,
    session_id: session,
    surface: 'language_model_tool',
    attended: 1,
    tool_id: isCommand ? 1 : 2 + Math.floor(random() * (TOOLS - 1)),
    argument_hash: random() < 0.33 ? hashes[Math.floor(random() * hashes.length)]! : hash(random),
    hash_key_id: hashKeyId,
    allowed_by: 'default:language_model_tool',
    outcome,
    reason,
    started_at: startedAt,
    completed_at: completedAt,
    claim_id: idAt(startedAt, random),
    owner_id: OWNER,
    claimed_at: startedAt,
    renewed_at: startedAt,
    due_at: startedAt + 600_000,
    acknowledged_by: review,
    acknowledged_at: review === null ? null : completedAt + 60_000,
  };
  const note = (kind: string, detail: object): SeedRows[number] => ({
    table: 'action_evidence',
    row: { action_id: id, id: idAt(completedAt, random), at: completedAt, kind, detail: JSON.stringify(detail) },
  });
  return [
    { table: 'tool_actions', row: action },
    ...(isCommand && outcome !== 'not_executed'
      ? [note('process', { kind: 'process', pid: 4711, startTime: '1234567', bootId: OWNER })]
      : []),
    ...(isCommand && outcome === 'completed' ? [note('exit', { kind: 'exit', code: random() < 0.9 ? 0 : 1 })] : []),
    ...(review === null ? [] : reviewRows(review, id, session, completedAt)),
  ];
}

function reviewRows(review: string, action: string, session: string, at: number): SeedRows {
  const decision = {
    id: review,
    user_id: scope.user,
    session_id: session,
    kind: 'recovery',
    state: 'approved',
    revision: 2,
    attended: 1,
    owner_id: OWNER,
    opened_at: at,
    decided_at: at + 60_000,
    decided_by: scope.user,
    answered_from: 'toast',
  };
  return [
    { table: 'decisions', row: decision },
    { table: 'decision_actions', row: { decision_id: review, action_id: action } },
  ];
}

function sessionOf(index: number, random: Random): string {
  if (random() < 0.5) {
    return scope.session;
  }
  // Two or three sessions are in use at any time.
  const number = Math.floor(index / SESSION_LENGTH) + Math.floor(random() * 3);
  return `01890000-0000-7000-8000-${String(1_000_000 + number).padStart(12, '0')}`;
}

function idAt(msecs: number, random: Random): string {
  return v7({ msecs, random: bytes(16, random) });
}

function hash(random: Random): string {
  return Buffer.from(bytes(32, random)).toString('base64url');
}

function bytes(length: number, random: Random): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
}

const OWNER = '01890000-0000-7000-8000-0000000000ff';
