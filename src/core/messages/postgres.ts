/** What is the matter with a journal on PostgreSQL, and what to do about it. */
export const postgres = {
  // Why the server cannot be reached.
  'postgres.unknownHost':
    'No server is known by the name {host}. Check the host name of the journal, and your network or VPN.',
  'postgres.unreachable':
    'The journal’s server {host}:{port} cannot be reached ({code}). Check that it runs, and your network or VPN; Holdfast connects again by itself.',
  'postgres.lost':
    'The connection to the journal’s server {host}:{port} was lost ({code}). Holdfast connects again by itself.',
  'postgres.stopping': 'The journal’s server {host}:{port} is stopping or starting. Holdfast connects again by itself.',
  'postgres.tooMany':
    'The journal’s server {host}:{port} takes no more connections. Close windows that use the journal, or have the server’s max_connections raised.',
  'postgres.readOnly':
    'The journal’s server {host}:{port} is read-only at the moment, perhaps because another server takes its place. Holdfast tries again by itself.',
  'postgres.noTls':
    'The journal’s server {host}:{port} does not offer an encrypted connection. Have TLS switched on there, or use an invite that does without it.',
  'postgres.untrusted':
    'The journal’s server {host}:{port} could not prove who it is ({code}). Use an invite that holds the certificate authority of that server.',

  // Why it lets nobody in.
  'postgres.password': 'The journal’s server refuses the password of role {user}. Enter the password again.',
  'postgres.noLogin':
    'The journal’s server does not let role {user} log in to database {database} from here. Have the role made, or pg_hba.conf changed.',
  'postgres.noDatabase': 'The journal’s server has no database {database}. Have it made, or ask for a new invite.',
  'postgres.noRight':
    'Role {user} may not use the journal in database {database}. Have whoever installed the journal run: GRANT holdfast_user TO "{user}".',
  'postgres.mayNotInstall':
    'Database {database} holds no journal yet, and role {user} may not make one. Open it once as the owner of the database, or have the right CREATE granted.',
  'postgres.schemaOfOther':
    'Database {database} holds no journal yet, and its schema holdfast belongs to role {owner}. Open it once as that role to make one, or have the schema removed.',
  'postgres.mayNotUpgrade':
    'The journal in database {database} is of an older Holdfast, and role {user} may not bring it up to date. Open it once as the role that installed it.',

  // What is wrong with what was found.
  'postgres.gone':
    'The journal in database {database} is gone. Have it restored, or reload the window to begin a new one.',
  'postgres.replaced':
    'Another journal stands in database {database} than this window had open. Have the right one restored, or reload the window.',
  'postgres.forTests':
    'The journal in database {database} was made by a test: its clock can be moved. Use another database.',

  // Why an operation failed.
  'postgres.slow':
    'The journal’s server did not finish in time ({code}). Try again; have long locks or a heavy load on the server looked into if this goes on.',
  'postgres.full': 'The journal’s server has no space left. Have it given more.',
  'postgres.failed':
    'The journal’s server reports an error ({code}). Try again; have its log looked into if this goes on.',
  'postgres.inDoubt':
    'Another host that runs something in this session lost its connection to the journal, and nobody can say yet whether it still runs. Try again in {seconds} seconds.',
} as const;
