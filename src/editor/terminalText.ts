/**
 * What a command prints, made fit for a terminal that a person looks at: colours, line breaks and moves of the cursor pass; all that
 * reaches beyond the text is dropped: titles, the clipboard, links (OSC), modes, questions that the terminal would answer, device
 * strings, the bell. Keeps its place between pieces and next to nothing else.
 */
export class TerminalText {
  #state: State = 'text';
  #parameters = '';
  #afterReturn = false;

  /** The part of a piece that may be shown. */
  filter(piece: string): string {
    let shown = '';
    for (let at = 0; at < piece.length;) {
      const plain = this.#state === 'text' ? plainLength(piece, at) : 0;
      if (plain > 0) {
        this.#afterReturn = false;
        shown += piece.slice(at, at + plain);
        at += plain;
      } else {
        shown += this.#take(piece.charAt(at));
        at++;
      }
    }
    return shown;
  }

  #take(character: string): string {
    const code = character.charCodeAt(0);
    switch (this.#state) {
      case 'text':
        return this.#text(character, code);
      case 'escape':
        return this.#escape(character, code);
      case 'sequence':
        return this.#sequence(character, code);
      case 'string':
        return this.#string(character, code);
    }
  }

  /** A control character in the text. */
  #text(character: string, code: number): string {
    const afterReturn = this.#afterReturn;
    this.#afterReturn = character === '\r';
    if (character === '\n') {
      return afterReturn ? '\n' : '\r\n';
    }
    this.#state = introduced(code);
    this.#parameters = '';
    return character === '\t' || character === '\r' || character === '\b' ? character : '';
  }

  #escape(character: string, code: number): string {
    if (isControl(code)) {
      return this.#startOver(character, code);
    }
    if (code >= 0x20 && code <= 0x2f) {
      // Between the escape and its last character, as in the choice of a character set.
      return '';
    }
    // Two characters stand for the one that introduces a sequence or a string; all others are dropped.
    this.#state = code >= 0x40 && code <= 0x5f ? introduced(code + 0x40) : 'text';
    return '';
  }

  #sequence(character: string, code: number): string {
    if (isControl(code)) {
      return this.#startOver(character, code);
    }
    if (code >= 0x40 && code <= 0x7e) {
      this.#state = 'text';
      const sequence = this.#parameters + character;
      return HARMLESS.test(sequence) ? `\u001b[${sequence}` : '';
    }
    // One more than is allowed, so that what is too long never passes.
    this.#parameters = (this.#parameters + character).slice(0, MAX_PARAMETERS + 1);
    return '';
  }

  /** The end of a string is its terminator; also the end of its line, so that one that never ends hides no more than that. */
  #string(character: string, code: number): string {
    if (character === '\u0007' || character === '\u009c') {
      this.#state = 'text';
      return '';
    }
    return isControl(code) && character !== '\t' ? this.#startOver(character, code) : '';
  }

  #startOver(character: string, code: number): string {
    this.#state = 'text';
    return this.#text(character, code);
  }
}

type State = 'text' | 'escape' | 'sequence' | 'string';

const MAX_PARAMETERS = 40;

/** Colours (m), moves of the cursor (A–H, f), erasing a line or what is on the screen (K, J), but not what was scrolled away (3J). */
const HARMLESS = new RegExp(`^(?:[\\d;:]{0,${MAX_PARAMETERS}}m|\\d{0,4}(?:;\\d{0,4})?[A-Hf]|[0-2]?[KJ])$`);

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

/** How many characters from here on are no control characters. */
function plainLength(piece: string, from: number): number {
  // eslint-disable-next-line no-control-regex -- they are what is looked for.
  const control = /[\u0000-\u001f\u007f-\u009f]/g;
  control.lastIndex = from;
  return (control.exec(piece)?.index ?? piece.length) - from;
}

/** What a control character begins. */
function introduced(code: number): State {
  switch (code) {
    case 0x1b:
      return 'escape';
    case 0x9b:
      return 'sequence';
    case 0x90:
    case 0x98:
    case 0x9d:
    case 0x9e:
    case 0x9f:
      return 'string';
    default:
      return 'text';
  }
}
