import { Emitter, type Event } from '../../core/emitter.ts';
import type { Say } from '../../core/messages.ts';

/** How many bytes of output are kept, head and tail together (S6). */
export const MAX_OUTPUT_BYTES = 1024 * 1024;

/** What was kept of a command's output. */
export interface KeptOutput {
  readonly text: string;
  readonly keptBytes: number;
  readonly totalBytes: number;
}

/**
 * Collects output of any length in bounded memory: the first half of the limit as it comes, and a ring for the last half.
 * Characters are never cut in two: not at the limits, and not where two streams take turns.
 */
export class OutputBuffer {
  readonly #half: number;
  readonly #appended = new Emitter<Buffer>(() => {
    // Who only watches must not disturb the collecting.
  });
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #ring: Buffer | undefined;
  #ringBytes = 0;
  #total = 0;

  constructor(limitBytes = MAX_OUTPUT_BYTES) {
    this.#half = Math.floor(limitBytes / 2);
  }

  /** Each piece as it comes, in whole characters. It is only good until the listener returns: its memory is used again. */
  get onAppended(): Event<Buffer> {
    return this.#appended.event;
  }

  /** How much came in all, kept or not. */
  get totalBytes(): number {
    return this.#total;
  }

  /** A writer for one stream. It holds back the bytes of an unfinished character until the rest has come. */
  stream(): OutputStream {
    let unfinished: Buffer = Buffer.alloc(0);
    let ended = false;
    return {
      write: (chunk) => {
        if (ended) {
          return;
        }
        const bytes = unfinished.length === 0 ? chunk : Buffer.concat([unfinished, chunk]);
        const whole = wholeCharacters(bytes);
        unfinished = Buffer.from(bytes.subarray(whole));
        this.#append(bytes.subarray(0, whole));
      },
      end: () => {
        this.#append(unfinished);
        unfinished = Buffer.alloc(0);
        ended = true;
      },
    };
  }

  /**
   * What was kept so far, with a line that says how much was left out in its place.
   *
   * @param limitBytes the most to take of what was kept: one half from its beginning, one from its end.
   */
  read(say: Say, limitBytes = 2 * this.#half): KeptOutput {
    const half = Math.min(this.#half, Math.floor(limitBytes / 2));
    const kept = Buffer.concat([...this.#head, this.#tail()]);
    if (this.#total <= 2 * half) {
      return { text: kept.toString('utf8'), keptBytes: this.#total, totalBytes: this.#total };
    }
    const begins = kept.subarray(0, half);
    const ends = kept.subarray(kept.length - half);
    const first = begins.subarray(0, wholeCharacters(begins));
    const last = ends.subarray(leadingRest(ends));
    const keptBytes = first.length + last.length;
    const size = formatBytes(this.#total - keptBytes, say);
    const gap = `\n${say('shell.output.leftOut', { size })}\n`;
    return { text: first.toString('utf8') + gap + last.toString('utf8'), keptBytes, totalBytes: this.#total };
  }

  #append(bytes: Buffer): void {
    const forHead = Math.min(bytes.length, this.#half - this.#headBytes);
    if (forHead > 0) {
      // Copied: a slice would keep its whole 64 KiB read buffer alive.
      this.#head.push(Buffer.from(bytes.subarray(0, forHead)));
      this.#headBytes += forHead;
    }
    this.#total += bytes.length;
    const rest = bytes.subarray(Math.max(0, forHead));
    if (rest.length > 0) {
      this.#appendToRing(rest.subarray(Math.max(0, rest.length - this.#half)), rest.length);
    }
    if (bytes.length > 0) {
      this.#appended.fire(bytes);
    }
  }

  /** @param advance how far the ring moves on; more than `bytes.length` where its front was left out already. */
  #appendToRing(bytes: Buffer, advance: number): void {
    this.#ring ??= Buffer.alloc(this.#half);
    const at = (this.#ringBytes + advance - bytes.length) % this.#half;
    const untilWrap = Math.min(bytes.length, this.#half - at);
    bytes.copy(this.#ring, at, 0, untilWrap);
    bytes.copy(this.#ring, 0, untilWrap);
    this.#ringBytes += advance;
  }

  #tail(): Buffer {
    if (this.#ring === undefined) {
      return Buffer.alloc(0);
    }
    if (this.#ringBytes <= this.#half) {
      return this.#ring.subarray(0, this.#ringBytes);
    }
    const start = this.#ringBytes % this.#half;
    return Buffer.concat([this.#ring.subarray(start), this.#ring.subarray(0, start)]);
  }
}

export interface OutputStream {
  /** Copies what it keeps: the chunk may be used again. After the end it is dropped. */
  write(chunk: Buffer): void;
  /** No more is collected. May be called more than once. */
  end(): void;
}

/** For people: `48.9 MB`. A megabyte is a million bytes. */
export function formatBytes(bytes: number, say: Say): string {
  if (bytes < 1000) {
    return say('size.bytes', { count: bytes });
  }
  return bytes < 1_000_000
    ? say('size.kilobytes', { count: (bytes / 1000).toFixed(1) })
    : say('size.megabytes', { count: (bytes / 1_000_000).toFixed(1) });
}

/** How many bytes come before an unfinished character at the end; all of them where the end is whole, or no UTF-8 at all. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back < needed ? bytes.length - back : bytes.length;
    }
    if (byte < 0x80) {
      break;
    }
  }
  return bytes.length;
}

/** How many bytes at the start are the rest of a character whose beginning is missing. */
function leadingRest(bytes: Buffer): number {
  let rest = 0;
  while (rest < Math.min(3, bytes.length) && ((bytes[rest] ?? 0) & 0xc0) === 0x80) {
    rest++;
  }
  return rest;
}
