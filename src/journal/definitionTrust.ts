/** Which definitions of a server's tools a user trusts to declare their own effects (M2, M3). Part of the journal. */
export interface DefinitionTrust {
  /** Writes what the user trusts of a server from now on, in place of what they trusted of it before, whose end is kept as a record. */
  trustDefinitions(trust: DefinitionsTrusted): Promise<void>;

  /** What the user trusts of a server now, by name; empty where nothing is or was trusted, or no longer is. */
  listTrustedDefinitions(query: TrustQuery): Promise<readonly TrustedDefinition[]>;
}

export interface TrustQuery {
  readonly user: string;
  /** The server's id in the user's settings. */
  readonly server: string;
}

export interface DefinitionsTrusted extends TrustQuery {
  /** Empty: from now on none. */
  readonly definitions: readonly TrustedDefinition[];
  /** Who decided, e.g. the OS account. */
  readonly by: string;
}

export interface TrustedDefinition {
  /** The tool's raw name. */
  readonly name: string;
  readonly definitionHash: string;
}
