import { parseTime } from '../../../core/time/time.ts';
import type { Checkpoint } from './schema.ts';

/** Clocks of nodes may be behind that of the API server. */
const clockSkewMillis = 5_000;

/**
 * Whether a checkpoint can be one of the namespace of its name that there is now, made at `createdMillis`; what is older was of an earlier
 * namespace of that name, whose secrets it may hold. `undefined`: there is no such namespace, so only those who may see all of them ask.
 */
export function isOfNamespace({ status }: Checkpoint, createdMillis: number | undefined): boolean {
  if (createdMillis === undefined) return true;
  const startMillis = parseTime(status?.startTime ?? '');
  return startMillis !== undefined && startMillis >= createdMillis - clockSkewMillis;
}
