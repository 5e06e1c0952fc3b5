/** What is wrong with an invite to a PostgreSQL journal, or with an address. None quotes it: it is a secret. */
export const invites = {
  'invite.none':
    'This is neither an invite (holdfast-journal:v1:…) nor the address of a database (postgresql://user@host/database).',
  'invite.newer': 'The invite was made by a newer Holdfast. Update the extension.',
  'invite.cutOff': 'The invite is incomplete or was changed on its way. Copy it again, as a whole.',
  'invite.wrong.host': 'The invite names no host. Ask for a new one.',
  'invite.wrong.port': 'The port in the invite is no number from 1 to 65535. Ask for a new one.',
  'invite.wrong.database': 'The invite names no database. Ask for a new one.',
  'invite.wrong.user': 'The database role in the invite is empty or too long. Ask for a new one.',
  'invite.wrong.password': 'The password in the invite is no text, or too long. Ask for a new one.',
  'invite.wrong.tls':
    'The invite does not say how to protect the connection, or its certificate is not in PEM form. Ask for a new one.',
  'invite.wrong.key': "The invite's key is damaged. Copy it again, as a whole, or ask for a new one.",
  'invite.address.noHost': 'The address names no host: postgresql://user@host/database.',
  'invite.address.noDatabase': 'The address names no database: postgresql://user@host/database.',
  'invite.address.sslmode': 'The sslmode in the address is none of these: {known}.',
  'invite.address.option': 'The address has an option “{name}”. Only sslmode and sslrootcert are known here.',
  'invite.address.encoding': 'The address has a % that begins no code. Write a % of a name or password as %25.',
} as const;
