import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { failpointsFrom } from '../failpoints.ts';
import type { ToWorker, WorkerOrder } from './protocol.ts';
import { WorkerJournal } from './workerJournal.ts';
import { toWire } from './protocol.ts';
import { faultOf, journalMisused } from './faults.ts';

/** The entry of the journal's worker thread. It lives as long as its port is open, and says why before it goes. */
async function main(port: MessagePort, order: WorkerOrder): Promise<void> {
  let journal: WorkerJournal | undefined;
  const fail = (error: unknown): void => {
    const why = journal?.takeCause(error) ?? error;
    port.postMessage({ kind: 'failed', error: toWire(why), damaged: faultOf(error) === 'damage' });
    journal?.abandon();
    port.close();
  };
  const handle = (messages: readonly ToWorker[]): void => {
    try {
      journal?.handle(messages);
      if (journal?.isClosed === true) {
        port.close();
      }
    } catch (error) {
      fail(error);
    }
  };
  try {
    journal = await WorkerJournal.open(order, port, failpointsFrom(process.env['HOLDFAST_FAILPOINTS']));
  } catch (error) {
    fail(error);
    return;
  }
  port.on('message', (first: ToWorker) => {
    handle([first, ...waitingOn(port)]);
  });
}

/** Takes what else has arrived: everything that waits is written together. */
function waitingOn(port: MessagePort): ToWorker[] {
  const messages: ToWorker[] = [];
  for (;;) {
    const next = receiveMessageOnPort(port) as { message: ToWorker } | undefined;
    if (next === undefined) {
      return messages;
    }
    messages.push(next.message);
  }
}

if (parentPort === null) {
  throw journalMisused('the journal worker runs only as a worker thread.');
}
void main(parentPort, workerData as WorkerOrder);
