import { readFileSync } from 'node:fs';

/** The process that a wrapper (`unshare`, `nsenter`) started, as this process numbers it; `undefined` where there is none. */
export function findWrappedPid(wrapper: number): number | undefined {
  try {
    const [pid] = readFileSync(`/proc/${wrapper}/task/${wrapper}/children`, 'utf8').split(' ');
    return pid ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}
