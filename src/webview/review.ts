interface VsCodeApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The review panel's browser side: two buttons and a note. All it keeps is which decision it shows. */
const api = acquireVsCodeApi();
const decision = document.body.dataset['decision'];
const note = document.querySelector<HTMLTextAreaElement>('#note');
const buttons = document.querySelectorAll<HTMLButtonElement>('button[data-answer]');

if (decision !== undefined) {
  api.setState({ decision });
}

// The host renders the page anew when another call waits: it then knows what was typed.
note?.addEventListener('input', () => {
  api.postMessage({ draft: note.value });
});

for (const button of buttons) {
  button.addEventListener('click', () => {
    for (const other of buttons) {
      other.disabled = true;
    }
    // Until the answer is on record the page says only that; the host then renders what came of it.
    document.querySelector<HTMLElement>('#recording')?.removeAttribute('hidden');
    api.postMessage({ answer: button.dataset['answer'], note: note?.value ?? '' });
  });
}
