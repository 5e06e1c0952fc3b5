import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatInvite, newInvite, type PostgresAddress } from '../../src/journal/postgres/invite.ts';
import { postgresServer, type PostgresServer } from '../support/postgresServer.ts';
import type { JournalReading } from './harness/journalReading.ts';
import { openWindow, type CodeWindow } from './harness/window.ts';
import { story, type Story } from './story.ts';

const USE_POSTGRES = 'Holdfast: Use a PostgreSQL Journal…';
const USE_EMBEDDED = 'Holdfast: Use the Embedded Journal';

/** A database of the server with a role that owns it, as whoever sets a journal up has it. */
interface Database {
  readonly server: PostgresServer;
  readonly address: PostgresAddress & { readonly user: string; readonly password: string };
}

async function createDatabase(): Promise<Database> {
  const server = await postgresServer();
  const [database, { user, password }] = [await server.createDatabase(), await server.createRole('CREATEROLE')];
  await server.query(`ALTER DATABASE ${database} OWNER TO ${user}`);
  const { host, port } = server;
  return { server, address: { host, port, database, user, password, tls: { mode: 'off' } } };
}

/** Answers the boxes that the command shows, one after the other: what the box says, and the answer. */
async function enter(
  window: CodeWindow,
  ...answers: readonly (readonly [asked: string, answer: string])[]
): Promise<void> {
  for (const [asked, answer] of answers) {
    const box = await window.quickPick();
    await box.element.getByText(asked).waitFor();
    await box.type(answer);
    await box.accept();
  }
}

const ASKS_INVITE = 'Paste an invite';
const ASKS_PASSWORD = 'The password of role';

async function readPostgres({ server, address }: Database): Promise<JournalReading> {
  const rows = (sql: string): Promise<Record<string, unknown>[]> => server.query(sql, [], address.database);
  const actions = await rows('SELECT outcome, reason, acknowledged_by FROM holdfast.tool_actions ORDER BY id');
  const reviews = await rows("SELECT state, answered_from FROM holdfast.decisions WHERE kind = 'recovery' ORDER BY id");
  return {
    actions: actions.map((row) => ({
      outcome: row['outcome'] as string,
      reason: row['reason'] as string | null,
      acknowledgedBy: row['acknowledged_by'] as string | null,
    })),
    reviews: reviews.map((row) => ({
      state: row['state'] as string,
      answeredFrom: row['answered_from'] as string | null,
    })),
  };
}

let stage: Database | undefined;
let invite = '';

story({
  name: 'PostgreSQL',
  async begin(window) {
    stage = await createDatabase();
    console.log(`      PostgreSQL ${stage.server.version}, process ${stage.server.pid ?? 'given by URL'}`);
    invite = formatInvite(newInvite(stage.address));
    await window.command(USE_POSTGRES);
    await enter(window, [ASKS_INVITE, invite]);
    await (await window.toast(/Actions are now recorded in database/)).close();
  },
  /** A VS Code in the browser keeps no secrets over a reload. */
  async afterReload(window) {
    const notice = await window.toast(/VS Code has not kept the invite/);
    await window.screenshot('postgres-reloaded');
    await notice.press('Enter Invite…');
    await enter(window, [ASKS_INVITE, invite]);
    await (await window.toast(/Actions are now recorded in database/)).close();
  },
  interlude: (told) => {
    theServerIsAway(told);
  },
  read: () => readPostgres(stage!),
  onDisk: [],
  /** All that the server holds, as it would be in a backup. */
  async contents() {
    const { server, address } = stage!;
    const tables = await server.query(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'holdfast'",
      [],
      address.database,
    );
    const rows = tables.map(({ tablename }) =>
      server.query(`SELECT row_to_json(t)::text AS row FROM holdfast.${String(tablename)} AS t`, [], address.database),
    );
    return Buffer.from((await Promise.all(rows)).flatMap((table) => table.map(({ row }) => String(row))).join('\n'));
  },
});

function theServerIsAway(told: () => Story): void {
  it('[P1] the server is stopped: changes are refused with the reason, the status bar says since when', async () => {
    const { window, agentRuns, effect } = told();
    await stage!.server.stop();
    const item = window.statusBar(/Journal disconnected since \d/);
    await item.waitFor();
    await agentRuns('echo not now >> effect.txt');
    const { data } = await window.log.next('call answered');
    assert.deepEqual([data['outcome'], data['reason']], ['not_executed', 'journal_unavailable']);
    assert.match(await window.chat.answer(/Not executed/), /server 127\.0\.0\.1:\d+/);
    assert.equal(effect(), 'one\n');
    assert.match((await item.getAttribute('aria-label')) ?? '', /Journal disconnected since.*127\.0\.0\.1/);
    await item.hover();
    await window.page.locator('.workbench-hover:visible').waitFor();
    await window.screenshot('postgres-disconnected');
  });

  it('and started again: the window is as it was before, without a reload', async () => {
    const { window } = told();
    await stage!.server.start();
    await window.statusBar('Journal disconnected').waitFor({ state: 'hidden' });
    await window.statusBar('1 to review').waitFor();
  });
}

describe('Another journal, in a real window', function () {
  this.timeout(180_000);
  let root: string;
  let window: CodeWindow;
  let database: Database;

  before(async () => {
    database = await createDatabase();
    root = mkdtempSync(join(tmpdir(), 'holdfast-change-'));
    const workspace = join(root, 'workspace');
    cpSync('test/fixtures/sample-workspace', workspace, { recursive: true });
    const vsix = 'out/holdfast.vsix';
    window = await openWindow({ vsix, folder: workspace, dataDir: join(root, 'data'), agentMode: true });
    await window.chat.open();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed' && !window.page.isClosed()) {
      await window.screenshot(`failed-change-${this.currentTest.title.slice(0, 30).replace(/\W+/g, '-')}`);
    }
  });

  after(async () => {
    await window.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  async function agentRuns(command: string, timeoutSeconds = 120): Promise<void> {
    await window.chat.send(`CALL holdfast_runCommand ${JSON.stringify({ command, timeoutSeconds })}`);
    await window.chat.allow();
  }

  /** A notification of ours with this text; put away, so that the next one is not taken for it. */
  async function told(text: RegExp, name: string): Promise<string> {
    const toast = await window.toast(text);
    await window.screenshot(`change-${name}`);
    const said = await toast.text();
    await toast.close();
    return said;
  }

  it('what is typed is hidden, and what is wrong with it is said while it is typed', async () => {
    await agentRuns('echo one >> effect.txt; sleep 60', 1);
    assert.equal((await window.log.next('call answered')).data['outcome'], 'uncertain');
    await window.command(USE_POSTGRES);
    const box = await window.quickPick();
    await box.element.locator('input[type="password"]').waitFor();
    await window.screenshot('change-1-ask');
    await box.type('postgresql://127.0.0.1');
    await box.element.getByText('The address names no database').waitFor();
    await window.screenshot('change-2-wrong-text');
    await box.escape();
  });

  it('the first person types the address; a wrong password is said, and asked again', async () => {
    const { host, port, user, password } = database.address;
    await window.command(USE_POSTGRES);
    const url = `postgresql://${user}@${host}:${port}/${database.address.database}`;
    await enter(window, [ASKS_INVITE, url], [ASKS_PASSWORD, 'wrong']);
    const toast = await window.toast(/The journal was not changed/);
    assert.match(await toast.text(), new RegExp(`refuses the password of role ${user}`));
    await window.screenshot('change-3-wrong-password');
    await toast.click('Try Again');
    await enter(window, [ASKS_PASSWORD, password]);
  });

  it('[P4] what waits to be checked is named, and nothing changes until the person says so', async () => {
    const dialog = await window.dialog('Use the PostgreSQL journal from now on?');
    assert.match(await dialog.text(), /wait for you to check, in the journal used until now: 1\./);
    assert.deepEqual(await dialog.buttons(), ['Cancel', 'Carry Over and Switch']);
    await window.screenshot('change-4-carry-over');
    await dialog.click('Cancel');
    await window.statusBar('1 to review').waitFor();
    assert.deepEqual((await readPostgres(database)).actions, []);
  });

  it('carried over, it is to be checked there; the window goes on without a reload', async () => {
    const { host, port, user, password, database: name } = database.address;
    await window.command(USE_POSTGRES);
    await enter(window, [ASKS_INVITE, `postgresql://${user}:${password}@${host}:${port}/${name}`]);
    await (await window.dialog('Use the PostgreSQL journal')).click('Carry Over and Switch');
    assert.match(
      await told(/Actions are now recorded/, '5-done'),
      new RegExp(`database ${name} on ${host}, as role ${user}`),
    );
    await window.statusBar('1 to review').waitFor();
    assert.deepEqual(
      (await readPostgres(database)).actions.map(({ outcome, acknowledgedBy }) => [outcome, acknowledgedBy]),
      [['uncertain', null]],
    );
    await agentRuns('echo two >> effect.txt');
    await (await window.toast(/Check earlier actions/)).click('Approve');
    assert.equal((await window.log.next('call answered')).data['outcome'], 'completed');
    // Its deadlines are looked after as well.
    await window.command('Holdfast: Settle Now');
    await window.log.next('settled by hand');
  });

  it('and back to the embedded journal: what was checked need not be checked again', async () => {
    await window.command(USE_EMBEDDED);
    await told(/this workspace's embedded journal/, '9-back');
    await agentRuns('echo three >> effect.txt');
    assert.equal((await window.log.next('call answered')).data['outcome'], 'completed');
    assert.equal(readFileSync(join(root, 'workspace', 'effect.txt'), 'utf8'), 'one\ntwo\nthree\n');
  });

  it('another person pastes the copied invite, and gives a role and a password of their own', async () => {
    await window.command('Holdfast: Copy PostgreSQL Invite for Others');
    assert.match(await told(/Invite copied/, '6-copied'), /Your own role and password are not in it/);
    const colleague = await database.server.createRole();
    await database.server.query(`GRANT holdfast_user TO ${colleague.user}`);
    const folder = join(root, 'elsewhere');
    cpSync('test/fixtures/sample-workspace', folder, { recursive: true });
    await window.command(USE_POSTGRES);
    const box = await window.quickPick();
    await box.input.press('ControlOrMeta+V');
    await box.accept();
    await box.element.getByText('Your own database role').waitFor();
    await window.screenshot('change-7-role');
    await box.type(colleague.user);
    await box.accept();
    await box.element.getByText(`The password of role ${colleague.user}`).waitFor();
    await box.type(colleague.password);
    await box.accept();
    assert.match(await told(/Actions are now recorded/, '8-colleague'), new RegExp(`as role ${colleague.user}`));
  });

  it('[P15] from a server that is away: nobody knows what waits there, so agents wait until the person has checked', async () => {
    await database.server.stop();
    try {
      await window.statusBar('Journal disconnected').waitFor();
      await window.command(USE_EMBEDDED);
      const dialog = await window.dialog("Use this workspace's embedded journal from now on?");
      assert.match(await dialog.text(), /127\.0\.0\.1[^]*nobody can say what waits to be checked/);
      await window.screenshot('change-10-unseen');
      await dialog.click('Switch and Check First');
      await told(/this workspace's embedded journal/, '11-unseen-done');
      await window.statusBar('Journal disconnected').waitFor({ state: 'hidden' });
      await agentRuns('echo four >> effect.txt');
      const toast = await window.toast(/Check earlier actions/);
      assert.match(await toast.text(), /earlier-records.*lost or out of reach/s);
      await window.screenshot('change-12-check-first');
      await toast.click('Approve');
      assert.equal((await window.log.next('call answered')).data['outcome'], 'completed');
    } finally {
      await database.server.start();
    }
  });

  it('[P10] neither password nor key is in anything that Holdfast wrote or made VS Code write', async () => {
    await window.close();
    const secrets = [database.address.password, 'holdfast-journal:v1:'];
    const holding = filesBelow(join(root, 'data')).filter((file) => {
      const content = readFileSync(file);
      return secrets.some((secret) => content.includes(secret));
    });
    assert.deepEqual(holding, []);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}
