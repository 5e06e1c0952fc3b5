interface VsCodeApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The review panel's browser side: two buttons and a note. All it keeps is which decision it shows. */
const api = acquireVsCodeApi();
api.setState({ decision: document.body.dataset['decision'] });
const buttons = document.querySelectorAll<HTMLButtonElement>('button[data-answer]');

for (const button of buttons) {
  button.addEventListener('click', () => {
    const note = document.querySelector<HTMLTextAreaElement>('#note')?.value ?? '';
    for (const other of buttons) {
      other.disabled = true;
    }
    // Until the answer is on record the page says only that; the host then renders what came of it.
    const state = document.querySelector<HTMLElement>('#recording');
    state?.removeAttribute('hidden');
    api.postMessage({ answer: button.dataset['answer'], note });
  });
}
