/** A message of PostgreSQL's protocol (PostgreSQL documentation, "Message Formats"). */
export interface Frame {
  /** One letter; empty for what a client sends first, which has no type. */
  readonly type: string;
  /** With type and length: what goes over the wire. */
  readonly bytes: Buffer;
  /** What follows the length. */
  readonly body: Buffer;
}

/** What a client may send first. */
export const SSL_REQUEST = 80_877_103;
export const GSS_REQUEST = 80_877_104;

/** Cuts a stream of bytes into messages. */
export class FrameReader {
  #rest = Buffer.alloc(0);

  /** The messages that are complete with this chunk. */
  *read(chunk: Buffer, typed: () => boolean): Generator<Frame> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const start = typed() ? 1 : 0;
      if (this.#rest.length < start + 4) {
        return;
      }
      const length = start + this.#rest.readInt32BE(start);
      if (this.#rest.length < length) {
        return;
      }
      const bytes = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      yield { type: bytes.toString('latin1', 0, start), bytes, body: bytes.subarray(start + 4) };
    }
  }
}

/** Follows what a client sends, and knows the SQL of a request also when it names a prepared statement. */
export class StatementNames {
  readonly #sql = new Map<string, string>();

  /** The SQL that a message carries or names; empty when it does neither. */
  sqlOf({ type, body }: Frame): string {
    switch (type) {
      case 'Q':
        return textAt(body, 0);
      case 'P': {
        const name = textAt(body, 0);
        const sql = textAt(body, Buffer.byteLength(name) + 1);
        this.#sql.set(name, sql);
        return sql;
      }
      case 'B': {
        const portal = textAt(body, 0);
        return this.#sql.get(textAt(body, Buffer.byteLength(portal) + 1)) ?? '';
      }
      default:
        return '';
    }
  }
}

/** Text up to its zero byte. */
function textAt(body: Buffer, start: number): string {
  return body.toString('utf8', start, body.indexOf(0, start));
}
