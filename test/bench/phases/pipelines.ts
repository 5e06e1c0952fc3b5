import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../../src/core/ids.ts';
import { chain, tool } from '../../integration/pipelines/definitions.ts';
import { intentOf, settlementOf } from '../../support/actions.ts';
import { BodyTool, succeeds } from '../../support/bodyTool.ts';
import { PipelineWorld } from '../../support/pipelineWorld.ts';
import type { Bench } from '../bench.ts';
import { Collected, spreadOf } from '../samples.ts';

const NODES = 50;
const LONG_RUN = 1_000;
const RECORDS = 10_000;
const TOGETHER = 200;

/** What a run costs beside its calls, and what a long history costs a resume. */
export async function measurePipelines({ report, effort }: Bench): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-bench-')));
  const world = await PipelineWorld.open({ folder, tools: [new BodyTool('step', succeeds)] });
  try {
    await measureNodes(world, report, effort.rounds);
    await measureLongRun(world, report);
    await measureResume(world, report);
  } finally {
    await world.close();
    rmSync(folder, { recursive: true });
  }
}

const steps = (count: number): string =>
  chain(Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, tool('step', { index })])), {
    limits: { maxNodeEntries: count + 1 },
  });

/** Interleaved: the same calls through the bridge alone, and as nodes. */
async function measureNodes(world: PipelineWorld, report: Bench['report'], rounds: number): Promise<void> {
  const samples = new Collected();
  const definition = steps(NODES);
  for (let round = -1; round < rounds; round++) {
    const [calls, run] = [await callsAlone(world), await timed(() => world.run(definition))];
    if (round >= 0) {
      samples.add('calls', calls / NODES);
      samples.add('nodes', run / NODES);
    }
  }
  report.section(`A node of a pipeline (runs of ${NODES} nodes) against the same calls without a walker`);
  report.add('pipelines.call', spreadOf(samples.of('calls')), { note: 'through the bridge alone' });
  report.add('pipelines.node', spreadOf(samples.of('nodes')), {
    ratioTo: 'pipelines.call',
    note: 'with its checkpoint, one commit more',
  });
}

async function callsAlone({ world }: PipelineWorld): Promise<number> {
  const scope = { user: world.user, session: newId() };
  const caller = { scope, surface: 'pipeline', agent: 'Release', attended: true, externalCallId: null } as const;
  const cancelled = new AbortController().signal;
  return timed(async () => {
    for (let index = 0; index < NODES; index++) {
      await world.bridge.call({
        tool: { server: 'test', name: 'step' },
        input: { index },
        caller: { ...caller, sessionCreatedAt: world.harness.clock.now() },
        run: { runId: scope.session, nodeKey: `n${index}` },
        cancelled,
      });
    }
  });
}

async function measureLongRun(world: PipelineWorld, report: Bench['report']): Promise<void> {
  const entered: number[] = [];
  const listening = world.pipelines.onProgress(({ message }) => {
    if (message === null) {
      entered.push(performance.now());
    }
  });
  const took = await timed(() => world.run(steps(LONG_RUN)));
  listening.dispose();
  // Each node tells of its entry and of its end.
  const nodes = entered.filter((_, index) => index % 2 === 0);
  const gaps = nodes.slice(1).map((at, index) => at - nodes[index]!);
  report.section(`A run of ${LONG_RUN.toLocaleString('en')} nodes: each checkpoint holds all results so far`);
  report.add('pipelines.longRun', spreadOf([took]));
  report.add('pipelines.longRun.first100', spreadOf(gaps.slice(0, 100)));
  report.add('pipelines.longRun.last100', spreadOf(gaps.slice(-100)), { ratioTo: 'pipelines.longRun.first100' });
}

async function measureResume(pipelineWorld: PipelineWorld, report: Bench['report']): Promise<void> {
  const { world, pipelines } = pipelineWorld;
  const { id } = await pipelineWorld.run(steps(1));
  const scope = { user: world.user, session: id };
  for (let made = 0; made < RECORDS; made += TOGETHER) {
    const intents = Array.from({ length: TOGETHER }, () => intentOf({ scope, run: { runId: id, nodeKey: 'n0' } }));
    await Promise.all(intents.map((intent) => world.journal.startAction(intent)));
    await Promise.all(intents.map((intent) => world.journal.settleAction(settlementOf(intent))));
  }
  const [reviewed, walked]: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round++) {
    const began = performance.now();
    const rewound = pipelines.rewind(id, 1);
    const { decision } = await world.raised();
    reviewed.push(performance.now() - began);
    const approved = performance.now();
    await world.inbox.answer(decision, 'approved', world.user, 'panel');
    await rewound;
    walked.push(performance.now() - approved);
    await pipelineWorld.ended(id);
  }
  report.section(`A resume of a run with ${RECORDS.toLocaleString('en')} records`);
  report.add('pipelines.resume.review', spreadOf(reviewed), { bound: 1_000, note: 'until the review is shown' });
  report.add('pipelines.resume.walk', spreadOf(walked), { bound: 250, note: 'from its approval to the first entry' });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
