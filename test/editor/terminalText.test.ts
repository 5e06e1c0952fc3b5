import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TerminalText } from '../../src/editor/terminalText.ts';

const ESC = '\u001b';
const BEL = '\u0007';

function shown(...pieces: readonly string[]): string {
  const filter = new TerminalText();
  return pieces.map((piece) => filter.filter(piece)).join('');
}

describe('What a command prints, on the terminal', () => {
  it('[S8] keeps text, tabs and letters of any script', () => {
    assert.equal(shown('a\tb é 日本 😀'), 'a\tb é 日本 😀');
  });

  it('[S8] begins each line at the margin, whether the command ends it with LF or CR LF', () => {
    assert.equal(shown('a\nb\r\nc\n\nd'), 'a\r\nb\r\nc\r\n\r\nd');
    assert.equal(shown('a\r', '\nb'), 'a\r\nb', 'also when they come apart');
    assert.equal(shown('10%\r20%\b'), '10%\r20%\b', 'a progress bar goes on in its line');
  });

  const harmless: Record<string, string> = {
    'a colour': `${ESC}[31mred${ESC}[0m`,
    'a true colour': `${ESC}[38;2;1;2;3mred${ESC}[m`,
    'an underline in a style of its own': `${ESC}[4:3mwave${ESC}[0m`,
    'a move of the cursor': `a${ESC}[1A${ESC}[2;5Hb`,
    'erasing a line and the rest of the screen': `${ESC}[2K${ESC}[J`,
  };
  for (const [what, sequence] of Object.entries(harmless)) {
    it(`[S8] lets ${what} pass`, () => {
      assert.equal(shown(sequence), sequence);
      assert.equal(shown(...Array.from(sequence)), sequence, 'also when it comes character by character');
    });
  }

  const dangerous: Record<string, string> = {
    'a title': `${ESC}]0;pwned${BEL}`,
    'a title that ends with ST': `${ESC}]2;pwned${ESC}\\`,
    'the clipboard': `${ESC}]52;c;ZXZpbA==${BEL}`,
    'a link': `${ESC}]8;;https://evil.example${ESC}\\`,
    'a notification': `${ESC}]777;notify;title;body${BEL}`,
    "VS Code's own marks": `${ESC}]633;E;rm -rf /${BEL}`,
    'a device string': `${ESC}P$qm${ESC}\\`,
    'a program command': `${ESC}_Gf=100;AAAA${ESC}\\`,
    'a private message': `${ESC}^hidden${ESC}\\`,
    'a start of string': `${ESC}Xhidden${ESC}\\`,
    'a question that the terminal would answer': `${ESC}[6n${ESC}[c${ESC}[>c${ESC}[5n`,
    'a size of the window': `${ESC}[8;1;1t`,
    'the other screen': `${ESC}[?1049h`,
    'following the mouse': `${ESC}[?1000h${ESC}[?1006h`,
    'forgetting what was scrolled away': `${ESC}[3J`,
    'a reset': `${ESC}c`,
    'a character set': `${ESC}(0`,
    'a bell and a shift': `${BEL}\u000e\u000f\u007f`,
    'a title in one-character form': '\u009d0;pwned\u009c',
    'a sequence in one-character form': '\u009b6n',
    'a sequence that is too long': `${ESC}[${'1;'.repeat(100)}m`,
  };
  for (const [what, sequence] of Object.entries(dangerous)) {
    it(`[S8] drops ${what}`, () => {
      assert.equal(shown(`a${sequence}b`), 'ab');
      assert.equal(shown(...Array.from(`a${sequence}b`)), 'ab', 'also when it comes character by character');
    });
  }

  it('[S8] shows a colour in one-character form as the sequence that it stands for', () => {
    assert.equal(shown('\u009b31mred'), `${ESC}[31mred`);
  });

  it('[S8] lets a string that never ends hide the rest of its line and no more', () => {
    assert.equal(shown(`a${ESC}]0;no end`, ' hidden\nshown'), 'a\r\nshown');
  });

  it('[S8] lets no other control character pass, whatever comes, cut wherever it may', () => {
    const pieces = fc.array(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(ESC, `${ESC}[`, `${ESC}]`, '1;2', 'm')),
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        // eslint-disable-next-line no-control-regex -- they are what may pass.
        const text = shown(...parts).replace(/\u001b\[[\d;:]*[mA-HfKJ]/g, '');
        // eslint-disable-next-line no-control-regex -- they are what is looked for.
        assert.doesNotMatch(text, /[\u0000-\u0007\u000b-\u000c\u000e-\u001f\u007f-\u009f]/);
      }),
    );
  });
});
