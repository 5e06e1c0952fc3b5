import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** One line of an extension's trace log. */
export interface LogLine {
  readonly time: string;
  readonly level: string;
  /** The whole message. */
  readonly text: string;
  /** The JSON object at the message's end, or an empty object. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The file it stands in; every extension host has its own. */
  readonly file: string;
}

/** A place in the log: what was written before it is the past. */
export type LogMark = number;

export interface NextOptions {
  /** Where to look from. Default: after the line that the last `next` gave. */
  readonly after?: LogMark;
  /** Milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

const LOOK_EVERY_MS = 25;

/**
 * The trace logs of one extension under a server's data folder, as one stream of events that goes on over reloads and
 * host restarts (each extension host writes a new file). Tests wait on it instead of on time.
 */
export class TraceLog {
  readonly #root: string;
  readonly #extensionId: string;
  readonly #lines: LogLine[] = [];
  readonly #files = new Map<string, TailedFile>();
  #cursor: LogMark = 0;

  constructor(dataDir: string, extensionId: string) {
    this.#root = join(dataDir, 'data', 'logs');
    this.#extensionId = extensionId;
  }

  /** All lines so far, oldest first per host. */
  lines(): readonly LogLine[] {
    this.#read();
    return this.#lines;
  }

  /** Now. Give it to `next` to see only what comes later. */
  mark(): LogMark {
    return this.lines().length;
  }

  /** The newest line that matches, if any. Moves nothing. */
  last(pattern: RegExp | string): LogLine | undefined {
    return this.lines().findLast((line) => matches(line, pattern));
  }

  /**
   * Waits for the next line that matches and moves behind it.
   * @throws after the time-out, with the last lines of the log.
   */
  async next(pattern: RegExp | string, options: NextOptions = {}): Promise<LogLine> {
    const timeoutMs = options.timeoutMs ?? 30_000;
    const deadline = performance.now() + timeoutMs;
    const from = options.after ?? this.#cursor;
    for (;;) {
      const index = this.lines().findIndex((line, at) => at >= from && matches(line, pattern));
      const found = this.#lines[index];
      if (found) {
        this.#cursor = Math.max(this.#cursor, index + 1);
        return found;
      }
      if (performance.now() > deadline) throw new Error(this.#describe(pattern, timeoutMs, from));
      await delay(LOOK_EVERY_MS);
    }
  }

  #describe(pattern: RegExp | string, timeoutMs: number, from: LogMark): string {
    const shown = this.#lines.slice(-25).map((line, index, all) => {
      const at = this.#lines.length - all.length + index;
      return `${at < from ? '  (before) ' : '           '}${line.time} [${line.level}] ${line.text}`;
    });
    const where = `${this.#files.size} log file(s) of ${this.#extensionId} under ${this.#root}`;
    return `No line ${String(pattern)} within ${timeoutMs} ms in ${where}. Last lines:\n${shown.join('\n') || '  none'}`;
  }

  #read(): void {
    for (const file of logFiles(this.#root, this.#extensionId)) {
      if (!this.#files.has(file)) this.#files.set(file, new TailedFile(file));
    }
    for (const file of this.#files.values()) this.#lines.push(...file.readMore());
  }
}

function matches(line: LogLine, pattern: RegExp | string): boolean {
  return typeof pattern === 'string' ? line.text.includes(pattern) : pattern.test(line.text);
}

/** `<session>/exthost<n>/<extension id>/*.log`, oldest session first, hosts in the order they were started. */
function logFiles(root: string, extensionId: string): string[] {
  return entries(root).flatMap((session) =>
    entries(join(root, session))
      .filter((name) => name.startsWith('exthost'))
      .flatMap((host) => {
        const folder = join(root, session, host, extensionId);
        return entries(folder)
          .filter((name) => name.endsWith('.log'))
          .map((name) => join(folder, name));
      }),
  );
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder).sort(new Intl.Collator('en', { numeric: true }).compare);
  } catch {
    return [];
  }
}

/** Reads what was appended to a file, whole lines at a time. */
class TailedFile {
  readonly #path: string;
  #offset = 0;
  #rest = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  readMore(): LogLine[] {
    const size = statSync(this.#path).size;
    if (size <= this.#offset) return [];
    const added = Buffer.alloc(size - this.#offset);
    const file = openSync(this.#path, 'r');
    try {
      this.#offset += readSync(file, added, 0, added.length, this.#offset);
    } finally {
      closeSync(file);
    }
    const all = Buffer.concat([this.#rest, added]);
    const end = all.lastIndexOf(10) + 1;
    this.#rest = all.subarray(end);
    return parse(all.subarray(0, end).toString('utf8'), this.#path);
  }
}

const HEAD = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+) \[(\w+)\] (.*)$/;

function parse(text: string, file: string): LogLine[] {
  const lines: LogLine[] = [];
  for (const raw of text.split('\n')) {
    const [, time, level, message] = HEAD.exec(raw) ?? [];
    if (time === undefined || level === undefined || message === undefined) continue;
    lines.push({ time, level, text: message, data: trailingObject(message), file });
  }
  return lines;
}

function trailingObject(message: string): Record<string, unknown> {
  const start = message.indexOf('{');
  if (start < 0) return {};
  try {
    return JSON.parse(message.slice(start)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
