import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../src/core/log.ts';
import { BodyTool } from '../support/bodyTool.ts';
import { markers, traces } from '../support/markers.ts';
import { useWorlds } from '../support/world.ts';

describe('Bodies', () => {
  const worlds = useWorlds();

  it('[G1] no byte of arguments, results or errors is in the journal, its files or the log', async () => {
    const logged: string[] = [];
    const line = (event: string, fields?: object): void => {
      logged.push(`${event} ${JSON.stringify(fields)}`);
    };
    const log: Log = { trace: line, info: line, warn: line, error: line };
    const { argument, result, exception } = markers;
    const world = await worlds.open({
      log,
      tools: [
        new BodyTool('write', (call) => {
          call.boundaryCrossed();
          return Promise.resolve({ text: result, observed: { kind: 'returned' } });
        }),
        new BodyTool('break', (call) => {
          call.boundaryCrossed();
          const error = Object.assign(new Error(exception), { name: exception, code: exception, detail: exception });
          return Promise.reject(error);
        }),
      ],
    });
    const answer = await world.call('write', { text: argument, nested: [{ [argument]: 1 }] });
    assert.ok(answer.text.includes(result), 'the caller does get the result');
    await world.call('break', { text: argument });
    const waiting = world.call('write', { text: argument });
    await world.answer(await world.raised(), 'denied', 'a note of a person');
    await waiting;
    await world.close();

    assert.ok(logged.length > 5);
    const places = [...filesBelow(worlds.folder.path), Buffer.from(logged.join('\n'))];
    assert.ok(
      places.some((bytes) => bytes.includes('a note of a person')),
      'the search finds what is there',
    );
    for (const bytes of places) {
      assert.deepEqual(traces(bytes), []);
    }
  });
});

function filesBelow(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file));
}
