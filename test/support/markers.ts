/** Texts planted in bodies. Each has a character that JSON escapes, so that escaped and raw forms differ. */
export const markers = {
  argument: 'planted "argument" 7f31c9',
  result: 'planted "result" 52ab80',
  stderr: 'planted "stderr" c06e4d',
  exception: 'planted "exception" 91d2f7',
};

/** Which planted texts the bytes hold: raw, JSON-escaped any number of times, as base64 at any offset, or as UTF-16. */
export function traces(bytes: Buffer): string[] {
  return Object.values(markers).filter((marker) => forms(marker).some((form) => bytes.includes(form)));
}

function forms(marker: string): Buffer[] {
  const utf8 = Buffer.from(marker);
  // A text inside a longer one starts at one of three places of base64's groups; the groups at the edges differ.
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from(
      Buffer.concat([Buffer.alloc(offset), utf8])
        .toString('base64')
        .slice(4, -4),
    ),
  );
  const escaped = Buffer.from(JSON.stringify(marker).slice(1, -1));
  // From its last quote on a text stays the same, however often it was escaped: JSON within JSON.
  const end = Buffer.from(marker.slice(marker.lastIndexOf('"')));
  const utf16 = Buffer.from(marker, 'utf16le');
  return [utf8, escaped, end, utf16, Buffer.from(utf16).swap16(), ...base64];
}
