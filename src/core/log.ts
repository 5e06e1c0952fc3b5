/**
 * The trace of what Holdfast does, by event name and identifiers. Never arguments, results or error texts of tools: an
 * output channel is a file on disk (P10).
 */
export interface Log {
  trace(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export const silentLog: Log = { trace: () => {}, info: () => {}, warn: () => {}, error: () => {} };
