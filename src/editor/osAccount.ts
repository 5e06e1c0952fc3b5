import { userInfo } from 'node:os';

/** The OS account's name; `uid:<n>` where the number has none, as in many containers. */
export function osAccount(lookUp: () => { readonly username: string } = userInfo): string {
  try {
    return lookUp().username;
  } catch {
    return `uid:${process.getuid?.() ?? 'unknown'}`;
  }
}
