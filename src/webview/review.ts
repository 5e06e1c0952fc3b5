interface VsCodeApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The panel's browser side: what was found, words, answers. All it keeps is which decision it shows. */
const api = acquireVsCodeApi();
const decision = document.body.dataset['decision'];
const note = document.querySelector<HTMLTextAreaElement>('#note');
const actions = document.querySelectorAll<HTMLElement>('[data-action]');
const buttons = document.querySelectorAll<HTMLButtonElement>('button[data-answer]');
const radios = document.querySelectorAll<HTMLInputElement>('input[type="radio"]');

if (decision !== undefined) {
  api.setState({ decision });
}

function said(): unknown {
  const findings = Array.from(actions, (action) => {
    const words = action.querySelector<HTMLInputElement>('input[type="text"]')?.value.trim() ?? '';
    return {
      actionId: action.dataset['action'],
      verdict: action.querySelector<HTMLInputElement>('input[type="radio"]:checked')?.value ?? null,
      note: words === '' ? null : words,
    };
  });
  return {
    note: note?.value ?? '',
    findings: findings.filter((found) => found.verdict !== null || found.note !== null),
  };
}

// The host renders the page anew when another call waits: it then knows what was said.
function tellDraft(): void {
  api.postMessage({ draft: said() });
}

document.addEventListener('input', tellDraft);

// What was chosen by mistake is taken back by choosing it once more.
let chosen = Array.from(radios).filter(({ checked }) => checked);
for (const radio of radios) {
  radio.addEventListener('click', () => {
    if (chosen.includes(radio)) {
      radio.checked = false;
      tellDraft();
    }
    chosen = Array.from(radios).filter(({ checked }) => checked);
  });
}

for (const button of buttons) {
  button.addEventListener('click', () => {
    for (const other of buttons) {
      other.disabled = true;
    }
    // Until the answer is on record the page says only that; the host then renders what came of it.
    document.querySelector<HTMLElement>('#recording')?.removeAttribute('hidden');
    api.postMessage({ answer: button.dataset['answer'], span: button.dataset['span'] ?? null, said: said() });
  });
}
