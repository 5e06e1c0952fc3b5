/** What a person reads when a window's journal is, or shall be, another one. */
export const changeOver = {
  // Asking for the way to a server.
  'change.ask.title': 'Use a PostgreSQL Journal',
  'change.ask.invite':
    'Paste an invite, or the address of a database that shall hold the journal. It is kept as a secret.',
  'change.ask.inviteOrKept':
    'Paste an invite, or the address of a database that shall hold the journal. Leave this empty to use the one that is kept.',
  'change.ask.inviteExample': 'holdfast-journal:v1:… or postgresql://user@host/database',
  'change.ask.role': 'Your own database role for the journal in {database} on {host}.',
  'change.ask.password': 'The password of role {user}. Leave this empty if the server wants none.',
  'change.caUnreadable': 'The certificate file of sslrootcert cannot be read ({code}).',
  'change.caNoCertificate':
    'The file of sslrootcert holds no certificate in PEM form, or more of them than fit into an invite.',
  'change.trying': 'Trying the journal in {database} on {host}…',
  'change.looking': 'Looking for what waits to be checked…',
  'change.failed': 'The journal was not changed. {cause}',
  'change.tryAgain': 'Try Again',

  // What stands against it.
  'change.already': 'This window uses the embedded journal already.',
  'change.busy': 'The journal was not changed: calls of this window run or wait for you ({count}). Let them end first.',
  'change.running':
    'The journal was not changed: actions of this session still run, perhaps in another window ({count}). Let them end first.',
  'change.confirm.postgres': 'Use the PostgreSQL journal from now on?',
  'change.confirm.embedded': "Use this workspace's embedded journal from now on?",
  'change.left':
    'Actions with unknown outcome that wait for you to check, in the journal used until now: {count}. Each is copied over with what is known of it and with its open review, and holds agents back there as it does here. Nothing is approved by this.',
  'change.elsewhere':
    'Such actions of other sessions: {count}. They stay in that journal, which other workspaces may use.',
  'change.carryOver': 'Carry Over and Switch',
  'change.unseen':
    'The journal used until now cannot be read, so nobody can say what waits to be checked in it. If you switch all the same, agents are held back until you have checked what they did last. What that journal holds stays in it.',
  'change.unseen.switch': 'Switch and Check First',

  // What came of it.
  'change.done.postgres': 'Actions are now recorded in database {database} on {host}, as role {user}.',
  'change.done.embedded': "Actions are now recorded in this workspace's embedded journal.",
  'change.notKept': 'VS Code cannot keep the invite here, so it is asked for again after a reload.',
  'change.waits.postgres':
    'The settings want the journal on PostgreSQL. This window goes on with its embedded journal, because actions in it wait for you to check: {count}.',
  'change.waits.embedded':
    'The settings want the embedded journal. This window goes on with PostgreSQL, because actions in it wait for you to check: {count}.',
  'change.switch': 'Switch…',
  'change.enterInvite': 'Enter Invite…',
  'invite.copy': 'Copy Invite for Others',
  'invite.copied':
    'Invite copied: hand it over like a password. Your own role and password are not in it; others enter it by “Use a PostgreSQL Journal…”.',
  'invite.noneKept': 'There is no invite to copy. Run “Holdfast: Use a PostgreSQL Journal…” first.',
  'journal.noInvite':
    'The journal is on PostgreSQL, and VS Code has not kept the invite to it. Run “Holdfast: Use a PostgreSQL Journal…” and enter it again.',
  'status.disconnected': 'Journal disconnected since {time}',
  'status.disconnected.effect': 'Until then agents may change nothing; reading goes on.',
  'status.cannotWrite.postgres':
    'The PostgreSQL journal takes no records at the moment, so agents may change nothing. Reading goes on; Holdfast tries again with the next call.',
} as const;
