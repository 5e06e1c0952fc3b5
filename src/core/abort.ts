/** The promise's value, or undefined as soon as the signal is aborted. What the promise does after that is nobody's concern here. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) {
    promise.catch(() => {});
    return undefined;
  }
  let onAbort = (): void => {};
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = (): void => {
      resolve(undefined);
    };
  });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
