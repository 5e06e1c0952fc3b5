import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Activation } from '../phases/activation.ts';

/** Runs inside the extension host for the bench, which reads what this leaves in `out/bench/activation.json`. */
describe('Holdfast, activated by the end of the start', () => {
  it('is timed', async () => {
    const extension = vscode.extensions.getExtension('holdfast.holdfast')!;
    // The host begins with it in the same moment as with the tests; this waits for the same activation.
    assert.equal(extension.isActive, false, 'Holdfast was active before its end could be seen');
    await extension.activate();
    const activation: Activation = {
      ms: Date.now() - activationBegan(),
      loaded: await scriptsBelow(extension.extensionPath),
    };
    const folder = join(extension.extensionPath, 'out/bench');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'activation.json'), JSON.stringify(activation));
  });
});

/** When the host's own log says that it began. */
function activationBegan(): number {
  const data = join(dirname(process.env['HOLDFAST_HOST_RESULT']!), 'data');
  const logs = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('exthost.log'));
  const text = logs.map((file) => readFileSync(join(data, file), 'utf8')).join('\n');
  const line = /^(\S+ \S+) \[info\] ExtensionService#_doActivateExtension holdfast\.holdfast,/m.exec(text);
  assert.ok(line?.[1], 'The log of the extension host does not say when it activated Holdfast');
  return new Date(line[1].replace(' ', 'T')).getTime();
}

/** Every script that the host has loaded from the extension's dist folder, and every wasm module. */
async function scriptsBelow(folder: string): Promise<string[]> {
  const urls: string[] = [];
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url));
  await new Promise((resolve) => {
    session.post('Debugger.enable', resolve);
  });
  session.disconnect();
  const root = `${vscode.Uri.file(folder).toString()}/`;
  return urls
    .filter((url) => url.startsWith(`${root}dist/`) || url.startsWith('wasm:'))
    .map((url) => (url.startsWith(root) ? url.slice(root.length) : url));
}
