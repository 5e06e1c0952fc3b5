import type { Client } from 'pg';
import type { Clock } from '../../core/clock.ts';
import type { Disposable } from '../../core/disposable.ts';
import { STATEMENT_TIMEOUT_MS } from './connectionConfig.ts';

/**
 * How long an answer is waited for, in milliseconds. The server gives up by itself before that; only a server or a network that says
 * nothing any more is given up here.
 */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** The same for last words: all extensions of a window share five seconds for their end. */
export const GOODBYE_MS = 2_000;

/** @param giveUp is called when the answer takes too long; it has to end the connection, so that the question fails. */
export async function answered<Answer>(
  clock: Clock,
  limitMs: number,
  ask: () => Promise<Answer>,
  giveUp: () => void,
): Promise<Answer> {
  const silence = clock.timer(limitMs, giveUp);
  try {
    return await ask();
  } finally {
    silence.dispose();
  }
}

/** Ends a connection. If its other end says nothing to that, it is left to the network, which ends it some time. Never rejects. */
export async function letGo(client: Client, clock: Clock): Promise<void> {
  let limit: Disposable | undefined;
  const limited = new Promise<void>((resolve) => {
    limit = clock.timer(GOODBYE_MS, resolve);
  });
  await Promise.race([client.end().catch(() => undefined), limited]);
  limit?.dispose();
}
