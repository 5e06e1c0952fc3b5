import assert from 'node:assert/strict';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { CommandScreen, GATHER_MS, GATHERED_BYTES } from '../../src/editor/commandScreen.ts';
import type { CommandWatch } from '../../src/tools/shell/commandWatch.ts';
import { OutputBuffer } from '../../src/tools/shell/output.ts';
import { RecentCommands } from '../../src/tools/shell/recentCommands.ts';
import type { CommandEnd } from '../../src/tools/shell/resultText.ts';
import { ManualClock } from '../support/manualClock.ts';

const say = createSay(untranslated);

describe('The terminal of a command', () => {
  let clock: ManualClock;
  let output: OutputBuffer;
  let watch: CommandWatch;
  let shown: string;
  let screen: CommandScreen | undefined;

  beforeEach(() => {
    clock = new ManualClock();
    output = new OutputBuffer();
    shown = '';
    watch = new RecentCommands().begin({
      actionId: 'action',
      scope: { user: 'user', session: 'session' },
      pid: 4711,
      background: true,
      description: {
        command: 'npm run dev',
        shell: '/bin/bash',
        folder: '/project',
        timeLimitSeconds: null,
        hasInvisible: false,
      },
      startedAt: clock.now(),
      output,
    });
  });

  afterEach(() => {
    screen?.dispose();
    if (watch.end === undefined) {
      watch.ended(end({ kind: 'exited', code: 0 }));
    }
  });

  const print = (text: string): void => {
    output.stream().write(Buffer.from(text));
  };
  const open = (): void => {
    const write = (text: string): void => {
      shown += text;
    };
    screen = new CommandScreen({ watch, write, clock, say });
  };
  const taken = (): string => {
    const text = shown;
    shown = '';
    return text;
  };

  it('[S8] says what runs, where and as which process, then shows what it has printed', () => {
    print('up\n');
    open();
    assert.match(
      shown,
      /npm run dev[^]*pid 4711, by \/bin\/bash, in \/project\..*what you type goes nowhere[^]*\r\nup\r\n$/,
    );
  });

  it('[S8] shows what is printed as it comes, gathered for a moment, and waits for nothing while nothing comes', () => {
    open();
    taken();
    assert.equal(clock.armed, 0);
    print('one\n');
    print('two\n');
    assert.equal(taken(), '');
    clock.advance(GATHER_MS);
    assert.equal(taken(), 'one\r\ntwo\r\n');
    assert.equal(clock.armed, 0);
  });

  it('[S8] shortens a flood, so that it never holds more than so much', () => {
    open();
    taken();
    const megabyte = 'x'.repeat(1_000_000);
    for (let count = 0; count < 20; count++) {
      print(megabyte);
    }
    clock.advance(GATHER_MS);
    const text = taken();
    assert.ok(text.length < GATHERED_BYTES + 100, `${text.length} characters`);
    assert.match(text, /\r\n… 19\.9 MB left out …\r\n/);
  });

  it('[S8] drops what reaches beyond the text, also where it comes in pieces', () => {
    open();
    taken();
    print('a\u001b]52;c;ZX');
    clock.advance(GATHER_MS);
    print('ZpbA==\u0007b');
    clock.advance(GATHER_MS);
    assert.equal(taken(), 'ab');
  });

  it('[S8] says how it ended, after its last output, and keeps nothing running', () => {
    open();
    print('last\n');
    taken();
    watch.ended(end({ kind: 'exited', code: 3 }));
    assert.match(taken(), /^last\r\n[^]*Exit code 3\./);
    assert.equal(clock.armed, 0);
  });

  it('[S8] [P9] says of one that was stopped that its outcome is unknown; also when it is opened afterwards', () => {
    watch.ended(end({ kind: 'stopped', cause: 'cancelled' }));
    open();
    assert.match(shown, /Stopped after 12 s, as asked\. Partial effects are possible; whether .* is unknown\./);
  });

  it('[S8] closed by the person it lets go of the command, which runs on', () => {
    open();
    print('a');
    screen?.dispose();
    taken();
    print('b');
    clock.advance(GATHER_MS);
    assert.equal(taken(), '');
    assert.equal(watch.stopAsked.aborted, false);
    assert.equal(clock.armed, 0);
  });

  const end = (observed: CommandEnd['observed']): CommandEnd => ({
    observed,
    ranMs: 12_000,
    background: true,
    endedAt: clock.now(),
    survivors: [],
    backgroundChild: false,
  });
});
