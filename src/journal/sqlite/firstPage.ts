import { APPLICATION_ID } from '../migrations.ts';

const PAGE_SIZE = 4096;
const MAGIC = 'SQLite format 3\0';

/** What the first bytes of a `journal.db` say, without SQLite opening (and perhaps changing) it. */
export interface Header {
  readonly isDatabase: boolean;
  readonly applicationId: number;
  readonly schemaVersion: number;
}

/** How many bytes {@link readHeader} wants. */
export const HEADER_SIZE = 100;

/**
 * The one page of an empty database in WAL mode that carries our `application_id` (SQLite's file format, sections 1.3 and 1.6).
 * A new journal is published as this page, whole and by rename, so that a file of ours is never empty and never unmarked:
 * an empty or unmarked `journal.db` is somebody else's or damaged.
 */
export function firstPage(): Uint8Array {
  const page = Buffer.alloc(PAGE_SIZE);
  page.write(MAGIC, 0, 'latin1');
  page.writeUInt16BE(PAGE_SIZE, 16);
  // Written and read through a write-ahead log.
  page.writeUInt8(2, 18);
  page.writeUInt8(2, 19);
  // Payload fractions, fixed by the format.
  page.writeUInt8(64, 21);
  page.writeUInt8(32, 22);
  page.writeUInt8(32, 23);
  // Change counter, and the counter that the page count below it belongs to.
  page.writeUInt32BE(1, 24);
  page.writeUInt32BE(1, 28);
  page.writeUInt32BE(1, 92);
  page.writeUInt32BE(APPLICATION_ID, 68);
  // The schema table: an empty leaf whose cells would begin at the page's end.
  page.writeUInt8(13, 100);
  page.writeUInt16BE(PAGE_SIZE, 105);
  return page;
}

export function readHeader(bytes: Uint8Array): Header {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isDatabase = header.length >= HEADER_SIZE && header.toString('latin1', 0, 16) === MAGIC;
  return {
    isDatabase,
    applicationId: isDatabase ? header.readUInt32BE(68) : 0,
    schemaVersion: isDatabase ? header.readUInt32BE(60) : 0,
  };
}
