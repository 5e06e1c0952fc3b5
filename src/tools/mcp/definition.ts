import { createHash } from 'node:crypto';
import { array, looseObject, optional, string, unknown as anything, type output } from 'zod/v4';
import { canonicalJson } from '../../journal/canonicalJson.ts';

const toolSchema = looseObject({
  name: string(),
  description: optional(string()),
  inputSchema: looseObject({}),
  outputSchema: optional(looseObject({})),
  // As loose as can be: one tool with odd annotations must not take the others with it, nor be believed (M2).
  annotations: optional(anything()),
  execution: optional(anything()),
});

const pageSchema = looseObject({ tools: array(anything()), nextCursor: optional(string()) });

/** A tool as its server describes it in `tools/list`, with all that came. */
export type ToolDefinition = output<typeof toolSchema>;

export interface DefinitionPage {
  readonly definitions: readonly ToolDefinition[];
  /** Where the next page begins; undefined: this was the last. */
  readonly next: string | undefined;
}

/** Reads one answer to `tools/list`. Entries that are no tools, or cannot be told apart by a hash, are left out. Undefined: it is no such answer. */
export function readPage(raw: unknown): DefinitionPage | undefined {
  const page = pageSchema.safeParse(raw);
  if (!page.success) {
    return undefined;
  }
  const definitions = page.data.tools.flatMap((entry) => {
    const tool = toolSchema.safeParse(entry);
    return tool.success && hasCanonicalForm(tool.data) ? [tool.data] : [];
  });
  return { definitions, next: page.data.nextCursor };
}

function hasCanonicalForm(definition: ToolDefinition): boolean {
  try {
    canonicalJson(definition);
    return true;
  } catch {
    return false;
  }
}

/** Changes when anything changes that the server says of the tool. Grants and trust are bound to it (M3). */
export function hashOf(server: string, definition: ToolDefinition): string {
  return createHash('sha256')
    .update(canonicalJson([server, definition]))
    .digest('hex');
}

/** Whether calls of the tool may, or must, be run as tasks (protocol of 2025-11-25). */
export function taskSupportOf({ execution }: ToolDefinition): 'required' | 'optional' | 'forbidden' {
  const support =
    typeof execution === 'object' && execution !== null && Object.hasOwn(execution, 'taskSupport')
      ? (execution as { taskSupport: unknown }).taskSupport
      : undefined;
  return support === 'required' || support === 'optional' ? support : 'forbidden';
}

/** Whether the server declares the tool to be read-only: exactly `true`, in the discovered annotations and nowhere else (M2). */
export function declaresReadOnly({ annotations }: ToolDefinition): boolean {
  return (
    typeof annotations === 'object' &&
    annotations !== null &&
    Object.hasOwn(annotations, 'readOnlyHint') &&
    (annotations as { readOnlyHint: unknown }).readOnlyHint === true
  );
}
