import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BodyTool } from '../../../support/bodyTool.ts';
import { PipelineWorld } from '../../../support/pipelineWorld.ts';

/** What a window is to do with its run, and how its person answers. */
export interface WalkOrder {
  readonly folder: string;
  readonly definition?: string;
  readonly resume?: string;
  readonly rewind?: { readonly runId: string; readonly checkpoint: number };
  readonly replay?: 'approved' | 'denied';
  /** Failpoints that are armed when a node of this key is entered. */
  readonly armAt?: { readonly nodeKey: string; readonly failpoints: string };
}

/** What the window prints when it was not killed. */
export interface WalkReport {
  readonly runId: string;
  readonly status: string;
  readonly cause: string | null;
  readonly answer: string;
  /** How many actions each replay review named, in their order. */
  readonly reviewed: readonly number[];
}

const order = JSON.parse(process.argv[2] ?? '') as WalkOrder;
const { folder } = order;
/** The next call whose effect is on disk kills the window. */
const deadly = join(folder, 'kill-in-the-node');

const step = new BodyTool('step', (call, input) => {
  call.boundaryCrossed();
  appendFileSync(join(folder, 'effects'), `${(input as { key: string }).key}\n`);
  if (existsSync(deadly)) {
    rmSync(deadly);
    process.kill(process.pid, 'SIGKILL');
  }
  return Promise.resolve({ text: 'ok', observed: { kind: 'returned' } });
});

const world = await PipelineWorld.open({ folder, tools: [step] });
const reviewed: number[] = [];
world.world.inbox.onAttention(({ decision, question }) => {
  const { kind, actionCount } = decision;
  if (kind === 'replay') {
    reviewed.push(actionCount);
  }
  const yes = kind === 'replay' ? (order.replay ?? 'approved') : 'approved';
  void world.world.inbox.answer(decision, yes, 'tester', 'panel', { note: question === undefined ? null : 'Yes' });
});

world.pipelines.onProgress(({ place }) => {
  if (place.nodeKey === order.armAt?.nodeKey) {
    writeFileSync(join(folder, 'failpoints'), order.armAt.failpoints);
  }
});

let answer = 'started';
let runId = order.resume ?? order.rewind?.runId ?? '';
if (order.definition !== undefined) {
  runId = await world.start(order.definition);
} else if (runId !== '') {
  const { rewind } = order;
  const given = await (rewind === undefined
    ? world.pipelines.resume(runId)
    : world.pipelines.rewind(runId, rewind.checkpoint));
  answer = given.kind === 'refused' ? given.code : given.kind;
}
if (runId === '') {
  runId = (await world.pipelines.listRuns(1)).runs[0]?.id ?? '';
}
const run = await world.ended(runId);
const report: WalkReport = { runId, status: run.status, cause: run.end?.cause ?? null, answer, reviewed };
console.log(JSON.stringify(report));
await world.close();
