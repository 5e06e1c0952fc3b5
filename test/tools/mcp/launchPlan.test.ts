import assert from 'node:assert/strict';
import { launchPlan, type LaunchPlan } from '../../../src/tools/mcp/launchPlan.ts';

const FILES = [
  'C:\\Program Files\\nodejs\\npx.cmd',
  'C:\\Program Files\\nodejs\\node.exe',
  'C:\\work\\node_modules\\.bin\\server.cmd',
  'C:\\work\\evil.cmd',
];

function onWindows(command: string, ...args: readonly string[]): LaunchPlan {
  return launchPlan(command, args, {
    platform: 'win32',
    variables: { Path: '.;C:\\Program Files\\nodejs', ComSpec: 'C:\\Windows\\system32\\cmd.exe' },
    cwd: 'C:\\work',
    isFile: (path) => FILES.includes(path),
  });
}

describe('How an MCP server is started', () => {
  it('as it is named, where the system needs no help', () => {
    const options = { platform: 'linux', variables: {}, cwd: '/', isFile: () => true } as const;
    assert.deepEqual(launchPlan('npx', ['-y', 'a b'], options), {
      command: 'npx',
      args: ['-y', 'a b'],
      verbatim: false,
    });
    assert.deepEqual(onWindows('node', 'a b'), {
      command: 'C:\\Program Files\\nodejs\\node.exe',
      args: ['a b'],
      verbatim: false,
    });
  });

  it('through the command processor where it is a script on Windows, as npx is', () => {
    const { command, args, verbatim } = onWindows('npx', '-y', '@scope/server', 'C:\\a b\\', 'say "hi" & 100%');
    assert.deepEqual(
      [command, args.slice(0, 3), verbatim],
      ['C:\\Windows\\system32\\cmd.exe', ['/d', '/s', '/c'], true],
    );
    assert.equal(
      args[3],
      '"C:\\Program^ Files\\nodejs\\npx.cmd ^"-y^" ^"@scope/server^" ^"C:\\a^ b\\\\^" ^"say^ \\^"hi\\^"^ ^&^ 100^%^""',
    );
  });

  it('with its arguments quoted twice where a script of npm hands them on to another command line', () => {
    assert.equal(
      onWindows('node_modules\\.bin\\server', 'a&b').args[3],
      '"C:\\work\\node_modules\\.bin\\server.cmd ^^^"a^^^&b^^^""',
    );
  });

  it('never from the working folder unless it is named there, and by the system’s own words where it is not found', () => {
    assert.deepEqual(onWindows('evil', 'x'), { command: 'evil', args: ['x'], verbatim: false });
    assert.match(onWindows('.\\evil').args[3]!, /^"C:\\work\\evil\.cmd"$/);
    assert.deepEqual(onWindows('missing').command, 'missing');
  });
});
