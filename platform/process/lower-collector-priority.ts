import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';

const ownThreads = '/proc/self/task';
/** Node's name for the threads on which V8 marks, sweeps and compiles. */
const COLLECTOR_THREAD = 'V8Worker';

/**
 * Has the threads on which V8 collects garbage beside the program give way to the program, and to whatever else runs, by `niceness` (1 to
 * 19): where processors are few they would take their part of them from requests, for as long as a collection takes. Returns how many
 * threads that were; where the system does not tell threads, as outside of Linux, 0, and all stays as it is.
 */
export function lowerCollectorPriority(niceness: number): number {
  let lowered = 0;
  try {
    for (const thread of readdirSync(ownThreads)) {
      if (readFileSync(`${ownThreads}/${thread}/comm`, 'utf8').trimEnd() !== COLLECTOR_THREAD) continue;
      // Linux takes the number of a thread for that of a process here.
      setPriority(Number(thread), niceness);
      lowered += 1;
    }
  } catch {
    // A hidden /proc, or a system call that is not allowed: nothing depends on it.
  }
  return lowered;
}
