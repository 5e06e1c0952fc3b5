import { createHash } from 'node:crypto';

/** Of the file's text: any change of it is looked at. SHA-256 in hex. */
export function definitionHash(source: string): string {
  return createHash('sha256').update(source).digest('hex');
}
