import { removeServer } from './postgresRemains.ts';

/**
 * A program: waits until the test process that started it has ended, however it ended, and then stops the server in the
 * given folder and removes the folder. Its standard input is a pipe that only the test process holds open.
 */
const folder = process.argv[2];
if (folder === undefined) {
  throw new Error('Which folder?');
}
process.stdin.resume();
process.stdin.once('end', () => {
  void removeServer(folder);
});
