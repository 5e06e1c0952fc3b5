import type { Sdk } from './sdk.ts';

/** What is wrong with a value; undefined: nothing. */
export type SchemaCheck = (value: unknown) => string | undefined;

/**
 * A check against a server's JSON schema, compiled when it is first used. A schema that cannot be compiled checks nothing: what it asks for
 * is the server's own affair, and it will say so.
 */
export function schemaCheck(
  { AjvJsonSchemaValidator }: Pick<Sdk, 'AjvJsonSchemaValidator'>,
  schema: object,
): SchemaCheck {
  let check: SchemaCheck | undefined;
  return (value) => {
    check ??= compile(AjvJsonSchemaValidator, schema);
    return check(value);
  };
}

function compile(Validator: Sdk['AjvJsonSchemaValidator'], schema: object): SchemaCheck {
  try {
    // A validator of its own: one keeps schemas by their `$id`, and two tools may use the same.
    const validate = new Validator().getValidator(schema);
    return (value) => {
      const result = validate(value);
      return result.valid ? undefined : result.errorMessage;
    };
  } catch {
    return () => undefined;
  }
}
