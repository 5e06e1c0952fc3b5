import { bundleForNode, buildJournalWorker, type JournalWorkerFiles } from './journalWorker.ts';

const built: { once: Promise<JournalWorkerFiles> | undefined } = { once: undefined };

/** The thread that holds the state of runs, as the extension bundles it, built once a process from the sources as they are now. */
export function buildRunsWorker(): Promise<JournalWorkerFiles> {
  built.once ??= (async () => {
    const { wasmFile } = await buildJournalWorker();
    const workerFile = await bundleForNode('src/pipelines/store/sqlite/runsWorker.ts', 'runsWorker.cjs', 'cjs');
    return { workerFile, wasmFile };
  })();
  return built.once;
}
