import { postgresServer } from '../../support/postgresServer.ts';

/** Starts a server, says its pid and folder in one line, and waits to be killed. */
const server = await postgresServer();
const [row] = await server.query('SHOW data_directory');
console.log(`${server.pid ?? 0} ${String(row?.['data_directory'])}`);
setInterval(() => {}, 1_000);
