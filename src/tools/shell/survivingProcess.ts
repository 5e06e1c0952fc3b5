import type { ActionRecord } from '../../core/action.ts';
import { isUnresolved } from '../../core/action.ts';
import { bootId, isRunning } from './processTable.ts';

/**
 * The process of an action whose outcome is unknown, if it may still be running: nobody stopped it when its owner died.
 *
 * @returns its pid; undefined where that pid is free or names another process by now, or the machine was started anew or is another one.
 */
export function survivingProcess(action: ActionRecord, platform: NodeJS.Platform): number | undefined {
  if (!isUnresolved(action)) {
    return undefined;
  }
  for (const { evidence } of action.evidence) {
    if (evidence.kind === 'process' && (evidence.bootId === null || evidence.bootId === bootId(platform))) {
      return isRunning(platform, evidence.pid, evidence.startTime) ? evidence.pid : undefined;
    }
  }
  return undefined;
}
