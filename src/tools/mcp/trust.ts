import { hashOf, type ToolDefinition } from './definition.ts';

/**
 * Whether the user believes what a server declares of a tool:
 * - `untrusted`: the switch is off;
 * - `trusted`: on, and the tool is as it was when the user switched it on;
 * - `changed`: on, but the tool is not the one that the user trusted (M3).
 */
export type Trust = 'untrusted' | 'trusted' | 'changed';

/** What the user trusted, kept across windows. */
export interface TrustedDefinitions {
  /** The definition hashes by raw tool name, as they were when the user last gave their trust; undefined: not seen since then. */
  read(server: string): Promise<Readonly<Record<string, string>> | undefined>;
  write(server: string, hashes: Readonly<Record<string, string>>): Promise<void>;
}

/**
 * The trust in each discovered tool. The first tools that are seen after the user switched trust on are those that they trusted; whoever
 * keeps the hashes forgets them when the switch is turned, in either direction.
 */
export async function trustIn(
  server: string,
  switchedOn: boolean,
  definitions: readonly ToolDefinition[],
  kept: TrustedDefinitions,
): Promise<(definition: ToolDefinition) => Trust> {
  if (!switchedOn) {
    return () => 'untrusted';
  }
  let trusted = await kept.read(server);
  if (trusted === undefined) {
    trusted = Object.fromEntries(definitions.map((definition) => [definition.name, hashOf(server, definition)]));
    await kept.write(server, trusted);
  }
  const hashes = new Map(Object.entries(trusted));
  return (definition) => (hashes.get(definition.name) === hashOf(server, definition) ? 'trusted' : 'changed');
}
