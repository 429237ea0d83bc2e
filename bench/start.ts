import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';

import { projectRoot } from '../tools/run-command.ts';

const firstGoalSeconds = 120;
const nextGoalSeconds = 1.5;
const nextStarts = 5;

/** Seconds from typing `npm start` to the line that says it is ready; the service is ended afterwards. */
async function measureStart(checkout: string, npmCache: string): Promise<number> {
  const startMillis = performance.now();
  const child = spawn('npm', ['start', '--silent', '--', '--port', '0'], {
    cwd: checkout,
    env: { ...process.env, npm_config_cache: npmCache, NODE_COMPILE_CACHE: undefined },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = once(child, 'exit');
  let seconds = Number.NaN;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('ready')) {
      seconds = (performance.now() - startMillis) / 1000;
      break;
    }
  }
  // The whole group: npm does not pass signals on to what it started.
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await exited;
  return seconds;
}

function findMedian(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const folder = await mkdtemp(join(tmpdir(), 'bailiwick-start-'));
try {
  const checkout = join(folder, 'checkout');
  execFileSync('git', ['clone', '--quiet', projectRoot, checkout]);
  const npmCache = join(folder, 'npm-cache');
  const first = await measureStart(checkout, npmCache);
  const next: number[] = [];
  for (let run = 0; run < nextStarts; run += 1) {
    next.push(await measureStart(checkout, npmCache));
  }
  const median = findMedian(next);
  console.log(`${cpus().length} cores, Node ${process.version}`);
  console.log(`first start, empty npm cache: ${first.toFixed(1)} s (goal: under ${firstGoalSeconds} s)`);
  console.log(
    `next starts: median ${median.toFixed(2)} s of ${nextStarts}, slowest ${Math.max(...next).toFixed(2)} s (goal: under ${nextGoalSeconds} s)`,
  );
  process.exitCode = first < firstGoalSeconds && median < nextGoalSeconds ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
