import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** What a process has used so far. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly residentMegabytes: number;
}

/** Processor time of a process and its threads, and its memory now. Throws when there is no such process. */
export function readUsage(pid: number): ProcessUsage {
  // The program's name, in parentheses, may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    residentMegabytes: Number(resident) / 1024,
  };
}
