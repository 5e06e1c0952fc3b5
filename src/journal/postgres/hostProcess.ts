import { hostname } from 'node:os';
import { identifyProcess, isAlive, type ProcessIdentity } from '../processIdentity.ts';

/** This extension host, as it stands in the journal's `owners`. */
export interface HostProcess {
  readonly host: string;
  readonly identity: ProcessIdentity;
}

export async function thisHost(): Promise<HostProcess> {
  const identity = await identifyProcess(process.pid);
  const unknown = { pid: process.pid, startTime: null, bootId: null, pidNamespace: null, machineId: null };
  return { host: hostname(), identity: identity ?? unknown };
}

/** An owner's row, as far as its process is concerned. */
export interface OwnerRow {
  readonly owner_id: string;
  readonly host: string | null;
  readonly process: string | null;
}

/** The owners whose process ran on this machine and is certainly gone. Of all others only the journal's own signs count. */
export async function deadHere(owners: readonly OwnerRow[], here: HostProcess): Promise<string[]> {
  const dead: string[] = [];
  for (const owner of owners) {
    const identity = owner.process === null ? undefined : (JSON.parse(owner.process) as ProcessIdentity);
    if (identity !== undefined && ranHere(owner.host, identity, here) && !(await isAlive(identity))) {
      dead.push(owner.owner_id);
    }
  }
  return dead;
}

/**
 * Machines that were copied from one image may share the machine's id, and containers the boot's; so all that is known must be the same, and
 * something must be known. A machine that was started anew since is left to the lease.
 */
function ranHere(host: string | null, there: ProcessIdentity, here: HostProcess): boolean {
  const { bootId, machineId, pidNamespace } = here.identity;
  return (
    (bootId !== null || machineId !== null) &&
    host === here.host &&
    there.bootId === bootId &&
    there.machineId === machineId &&
    there.pidNamespace === pidNamespace
  );
}
