import type { DefinitionsTrusted, TrustedDefinition, TrustQuery } from '../../definitionTrust.ts';
import { text } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { toolIdFor } from './tools.ts';

const END = `
  UPDATE trusted_definitions SET revoked_by = ?, revoked_at = ?
  WHERE user_id = ? AND revoked_at IS NULL AND tool_id IN (SELECT tool_id FROM tools WHERE server = ?)`;

const TRUST = `
  INSERT INTO trusted_definitions (user_id, tool_id, trusted_by, trusted_at) VALUES (?, ?, ?, ?)
  ON CONFLICT (user_id, tool_id) DO UPDATE
  SET trusted_by = excluded.trusted_by, trusted_at = excluded.trusted_at, revoked_by = NULL, revoked_at = NULL`;

const TRUSTED = `
  SELECT name, definition_hash FROM tools JOIN trusted_definitions USING (tool_id)
  WHERE server = ? AND user_id = ? AND revoked_at IS NULL ORDER BY name`;

export function trustDefinitions(context: OperationContext, trust: DefinitionsTrusted): void {
  const { user, server, definitions, by } = trust;
  const { statements } = context;
  statements.run(END, by, context.now(), user, server);
  for (const { name, definitionHash } of definitions) {
    statements.run(TRUST, user, toolIdFor(context, { server, name }, definitionHash), by, context.now());
  }
}

export function listTrustedDefinitions(
  { statements }: OperationContext,
  { user, server }: TrustQuery,
): readonly TrustedDefinition[] {
  return statements
    .all(TRUSTED, server, user)
    .map((row) => ({ name: text(row, 'name'), definitionHash: text(row, 'definition_hash') }));
}
