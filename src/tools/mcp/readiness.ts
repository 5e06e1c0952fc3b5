import type { StopCause } from '../../core/evidence.ts';
import type { Connection } from './connection.ts';
import type { CallEnd } from './sentCall.ts';
import type { ServerLimits } from './serverSettings.ts';

/** A server to which one call may now be sent, until it is released. */
export interface Lease {
  readonly connection: Connection;
  readonly limits: ServerLimits;
  /** Aborted when the server is restarted, removed or stopped while the call runs; its reason is a {@link StopCause}. */
  readonly life: AbortSignal;
  /** The hash of the tool's definition as the server has it now; undefined: it has no such tool. */
  hashOf(name: string): string | undefined;
  /** The call is over. @param how undefined where it was not sent. */
  release(how: CallEnd['kind'] | undefined): void;
}

/** The lease; or why nothing can be sent, as a sentence for the agent; or what told the call to stop while it waited. */
export type Ready = Lease | { readonly problem: string } | { readonly stopped: StopCause };
