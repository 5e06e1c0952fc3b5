import type { Clock } from '../../core/clock.ts';
import { DisposableStore, toDisposable } from '../../core/disposable.ts';
import { messageOf } from '../../core/errors.ts';
import type { StopCause } from '../../core/evidence.ts';
import { CallLimits } from './callLimits.ts';
import type { Connection, SentCall } from './connection.ts';
import type { ServerLimits } from './serverSettings.ts';

/** How a call that was handed over has ended for its caller. */
export type CallEnd =
  /** The raw result of a response frame. */
  | { readonly kind: 'answered'; readonly raw: unknown }
  /** An error frame, whatever its code: before or after an effect, nobody can tell. */
  | { readonly kind: 'error_frame'; readonly message: string }
  /** No answer can come any more. One cause for all that were lost together (M11). */
  | { readonly kind: 'lost'; readonly causeId: string }
  | { readonly kind: 'stopped'; readonly cause: StopCause };

export interface SendOptions {
  readonly connection: Connection;
  readonly name: string;
  readonly input: unknown;
  readonly limits: ServerLimits;
  /** Aborted when nobody waits any more, with a {@link StopCause} as its reason. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onHandOver: () => void;
  readonly onProgress: () => void;
  /** A cancellation was handed over: once, and only for a call without an answer (M8). */
  readonly onCancel: () => void;
  /** An answer came after the end (M7). */
  readonly onLate: (said: 'result' | 'error') => void;
}

/**
 * Hands a call over and waits for its answer, its loss, or an end of ours. Never later than the limits.
 *
 * @throws Error when it could not be handed over.
 */
export async function send(options: SendOptions): Promise<CallEnd> {
  const { connection, name, input, limits, signal, clock } = options;
  const held = new DisposableStore();
  try {
    return await new Promise<CallEnd>((resolve) => {
      let ended = false;
      const end = (how: CallEnd): void => {
        ended = true;
        resolve(how);
      };
      const lost = (): void => {
        end({ kind: 'lost', causeId: connection.causeOfLoss });
      };
      const stop = (cause: StopCause): void => {
        if (!ended) {
          end({ kind: 'stopped', cause });
          cancel(sent, cause, options);
        }
      };
      const clocked = held.add(
        new CallLimits(clock, limits, () => {
          stop('timed_out');
        }),
      );
      const onProgress = (): void => {
        if (!ended) {
          clocked.progress();
          options.onProgress();
        }
      };
      const sent = connection.send(name, input, { onHandOver: options.onHandOver, onLost: lost }, onProgress);
      sent.result.then(
        (raw) => {
          if (ended) {
            options.onLate('result');
          } else {
            end({ kind: 'answered', raw });
          }
        },
        (error: unknown) => {
          if (!ended) {
            end(sent.answered ? { kind: 'error_frame', message: messageOf(error) } : lostBy(connection));
          } else if (sent.answered) {
            options.onLate('error');
          }
        },
      );
      const onAbort = (): void => {
        stop(signal.reason as StopCause);
      };
      signal.addEventListener('abort', onAbort);
      held.add(
        toDisposable(() => {
          signal.removeEventListener('abort', onAbort);
        }),
      );
    });
  } finally {
    held.dispose();
  }
}

function lostBy(connection: Connection): CallEnd {
  return { kind: 'lost', causeId: connection.causeOfLoss };
}

function cancel(sent: SentCall, cause: StopCause, { connection, onCancel }: SendOptions): void {
  onCancel();
  connection.cancel(sent, cause).catch(() => {
    // A connection that is gone: the call has ended there as well, or nobody will ever know.
  });
}
