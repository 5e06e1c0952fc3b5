/**
 * A process of its own, in which the tool runs one command: `toolProcess.ts FOLDER COMMAND`. Prints, as JSON, the tool's
 * answer and by how much the peak of the resident memory grew meanwhile.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { RecordingCall } from '../../support/toolCall.ts';
import { makeTool } from './makeTool.ts';

const [, , folder = '.', command = ''] = process.argv;
const tool = makeTool(folder);

/** Forgets the peak so far where Linux can (proc_pid_clear_refs(5)), so that start-up does not hide growth. KiB. */
function resetPeak(): number {
  if (existsSync('/proc/self/clear_refs')) {
    writeFileSync('/proc/self/clear_refs', '5');
  }
  return peak();
}

function peak(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
  return kibibytes === undefined ? process.resourceUsage().maxRSS : Number(kibibytes);
}

const before = resetPeak();
const call = new RecordingCall();
const { text, observed } = await tool.run({ command, background: false, preflight: false }, call);
const grownMiB = (peak() - before) / 1024;
process.stdout.write(JSON.stringify({ grownMiB, text, observed, notes: call.notes }));
