/** Tells a person what a slow set-up is doing. */
export interface Progress {
  /** Runs `work` as one named step: a line when it starts, and how long it took when it ends. */
  step<T>(title: string, work: () => Promise<T>): Promise<T>;
  /** One line of its own. */
  say(line: string): void;
}

/** Progress on standard error, so that standard output stays the program's own. */
export function consoleProgress(prefix = 'host'): Progress {
  const say = (line: string): void => {
    process.stderr.write(`[${prefix}] ${line}\n`);
  };
  return {
    say,
    async step(title, work) {
      const began = performance.now();
      say(`${title} …`);
      try {
        return await work();
      } finally {
        say(`${title}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
      }
    },
  };
}

/** Says nothing. */
export const quiet: Progress = {
  say: () => undefined,
  step: (_title, work) => work(),
};
