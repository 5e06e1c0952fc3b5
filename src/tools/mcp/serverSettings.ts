/** How a server is reached. */
export type ServerAddress =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** Added to what the server inherits. */
      readonly variables: Readonly<Record<string, string>>;
      /** The folder it runs in; that of the extension host where absent. */
      readonly cwd?: string;
    }
  /** Streamable HTTP, or the older transport over server-sent events. */
  | { readonly kind: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Time limits, in milliseconds. */
export interface ServerLimits {
  /** From starting the server to its list of tools. */
  readonly connectMs: number;
  /** How long a call may go without an answer; progress starts it anew. */
  readonly silenceMs: number;
  /** How long a call may take in all, whatever progress it reports (M8). */
  readonly totalMs: number;
}

/** A server as the user has set it up. Secrets are filled in already. */
export interface ServerSettings {
  /** The user's own name for it, and half of the identity of its tools (M1). */
  readonly id: string;
  readonly address: ServerAddress;
  readonly limits: ServerLimits;
  /** Raw names of the tools that are offered; null: all. */
  readonly enabledTools: readonly string[] | null;
  /** The user believes what the server says of its tools' effects (M2, M4). Off unless switched on. */
  readonly trustRecoveryHints: boolean;
}
