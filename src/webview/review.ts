interface VsCodeApi {
  postMessage(message: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The review panel's browser side: two buttons and a note. */
const api = acquireVsCodeApi();
const buttons = document.querySelectorAll<HTMLButtonElement>('button[data-answer]');

for (const button of buttons) {
  button.addEventListener('click', () => {
    const note = document.querySelector<HTMLTextAreaElement>('#note')?.value ?? '';
    for (const other of buttons) {
      other.disabled = true;
    }
    api.postMessage({ answer: button.dataset['answer'], note });
  });
}
