import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { createSay, untranslated } from '../../../src/core/messages.ts';
import { MAX_OUTPUT_BYTES, OutputBuffer } from '../../../src/tools/shell/output.ts';
import { RecordingCall } from '../../support/toolCall.ts';
import { describePosix, run, useWorkspace } from './harness.ts';
import { makeTool } from './makeTool.ts';

describe('The output of a command', () => {
  const folder = useWorkspace();
  const say = createSay(untranslated);

  it('[S6] is kept whole up to the limit', () => {
    const kept = collect(10, [['1234567890']]);
    assert.deepEqual(kept, { text: '1234567890', keptBytes: 10, totalBytes: 10 });
  });

  it('[S6] keeps head and tail beyond the limit and says how much is missing in its place', () => {
    const kept = collect(10, [['12345abc', 'defghijk67890']]);
    assert.deepEqual(kept, { text: '12345\n… 11 bytes left out …\n67890', keptBytes: 10, totalBytes: 21 });
  });

  it('[S6] never cuts a character in two at the limits', () => {
    const kept = collect(10, [['aé€b…', 'xx', 'yy€€éx']]);
    assert.deepEqual(kept, {
      text: 'aé\n… 17 bytes left out …\néx',
      keptBytes: 6,
      totalBytes: 23,
    });
  });

  it('[S6] never mixes the bytes of two streams inside a character', () => {
    const buffer = new OutputBuffer();
    const [out, err] = [buffer.stream(), buffer.stream()];
    const euro = Buffer.from('€');
    out.write(euro.subarray(0, 1));
    err.write(Buffer.from('!'));
    out.write(euro.subarray(1));
    assert.equal(buffer.read(say).text, '!€');
  });

  it('[S6] keeps bytes that are no UTF-8 at all, and an unfinished character at the end', () => {
    const buffer = new OutputBuffer();
    const out = buffer.stream();
    out.write(Buffer.from([0x41, 0xff, 0x80, 0x80, 0x80, 0x80, 0xe2, 0x82]));
    out.end();
    const { text, totalBytes } = buffer.read(say);
    assert.match(text, /^A\ufffd+$/u);
    assert.equal(totalBytes, 8);
  });

  it('[S6] shows head and tail of any text, cut anywhere, within its limit', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });
    fc.assert(
      fc.property(chunks, fc.integer({ min: 8, max: 64 }), (parts, limit) => {
        const ascii = parts.map((part) => Buffer.from(part.map((byte) => 33 + (byte % 90))));
        const whole = Buffer.concat(ascii).toString();
        const buffer = new OutputBuffer(limit);
        const out = buffer.stream();
        for (const part of ascii) {
          out.write(part);
        }
        out.end();
        const half = Math.floor(limit / 2);
        const kept = buffer.read(say);
        assert.equal(kept.totalBytes, whole.length);
        if (whole.length <= 2 * half) {
          assert.equal(kept.text, whole);
        } else {
          assert.ok(kept.text.startsWith(`${whole.slice(0, half)}\n… `));
          assert.ok(kept.text.endsWith(` …\n${whole.slice(-half)}`));
          assert.equal(kept.keptBytes, 2 * half);
        }
      }),
    );
  });

  describePosix('from a real process', () => {
    it('[S6] brings stdout and stderr together in the order they were written', async () => {
      const command = 'for n in 1 2 3 4 5 6 7 8 9; do echo "out $n"; echo "err $n" >&2; done';
      const { text } = await run(makeTool(folder.path), { command }, new RecordingCall());
      const lines = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `out ${n}\nerr ${n}`);
      assert.equal(text, `Exit code 0.\n\n${lines.join('\n')}`);
    });

    it('[S6] comes through a real pipe, which a command may open by name', async () => {
      const command = 'echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr';
      const { text } = await run(makeTool(folder.path), { command }, new RecordingCall());
      assert.equal(text, 'Exit code 0.\n\na\nb\nc\nc');
    });

    it("[S6] comes through Node's own pipes where named ones cannot be made", async () => {
      const path = process.env['PATH'];
      process.env['PATH'] = folder.path;
      try {
        const shell = '/bin/sh';
        const { text } = await run(
          makeTool(folder.path, { shell: () => shell }),
          { command: 'echo a' },
          new RecordingCall(),
        );
        assert.equal(text, 'Exit code 0.\n\na');
      } finally {
        restore('PATH', path);
      }
    });

    it('[S6] leaves no descriptor and no file behind', async function () {
      if (process.platform !== 'linux') {
        this.skip();
      }
      const tool = makeTool(folder.path);
      const open = (): number => readdirSync('/proc/self/fd').length;
      const temporary = process.env['TMPDIR'];
      process.env['TMPDIR'] = folder.path;
      await run(tool, { command: 'exit 0' }, new RecordingCall());
      const descriptors = open();
      try {
        for (let round = 0; round < 5; round++) {
          await run(tool, { command: 'echo a' }, new RecordingCall());
          await assert.rejects(run(tool, { argv: ['/missing'] }, new RecordingCall()));
          await assert.rejects(run(tool, { argv: ['a'.repeat(100_000)] }, new RecordingCall()));
        }
      } finally {
        restore('TMPDIR', temporary);
      }
      assert.equal(open(), descriptors);
      assert.deepEqual(readdirSync(folder.path), []);
    });

    it('[S6] of 50 MB keeps at most 1 MiB, head and tail, and grows the process by less than 32 MiB', async () => {
      const command = 'echo first; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo last; exit 4';
      const arguments_ = ['--import', 'tsx', join(import.meta.dirname, 'toolProcess.ts'), folder.path, command];
      const { stdout } = await promisify(execFile)(process.execPath, arguments_, { maxBuffer: 10_000_000 });
      const result = JSON.parse(stdout) as { grownMiB: number; text: string; observed: unknown; notes: unknown[] };
      console.log(`        RSS grew by ${result.grownMiB.toFixed(1)} MiB`);
      assert.ok(result.grownMiB < 32, `grew by ${result.grownMiB} MiB`);
      assert.deepEqual(result.observed, { kind: 'exited', code: 4 });
      assert.match(result.text, /^Exit code 4\.\n\nfirst\n/);
      assert.match(result.text, /\n… 49\.0 MB left out …\n/);
      assert.match(
        result.text,
        /\nlast\n\nNote: Output truncated: 1\.0 MB of 50\.0 MB are shown, the beginning and the end\.$/,
      );
      assert.ok(Buffer.byteLength(result.text) < MAX_OUTPUT_BYTES + 300);
      assert.deepEqual(result.notes.at(-1), {
        kind: 'output_truncated',
        keptBytes: MAX_OUTPUT_BYTES,
        totalBytes: 50_000_012,
      });
    });
  });

  function restore(name: string, value: string | undefined): void {
    if (value === undefined) {
      // Assigning undefined would make it the text "undefined".
      Reflect.deleteProperty(process.env, name);
    } else {
      process.env[name] = value;
    }
  }

  function collect(limit: number, streams: readonly (readonly string[])[]): ReturnType<OutputBuffer['read']> {
    const buffer = new OutputBuffer(limit);
    for (const chunks of streams) {
      const stream = buffer.stream();
      for (const chunk of chunks) {
        stream.write(Buffer.from(chunk));
      }
      stream.end();
    }
    return buffer.read(say);
  }
});
