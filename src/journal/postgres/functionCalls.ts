/** Calls of the schema's functions by their name, for what lies beside the journal on its server and shares its connections. */
export interface FunctionCalls {
  /** In the order of the calls, and again where the answer was lost: the function must be idempotent by the ids that it is given. */
  write(name: string, valuesFor: (ownerId: string) => readonly unknown[]): Promise<unknown>;
  /** Sees every write that was called before. */
  read(name: string, values: readonly unknown[]): Promise<unknown>;
}
