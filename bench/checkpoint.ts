import { rm } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { readUsage } from './admission/read-usage.ts';
import { startAgentProgram, type AgentRun } from '../test/agent/start-agent-program.ts';
import { findMedian } from '../test/host/figures.ts';
import { startRuntime } from '../test/runtime/start-runtime.ts';
import type { TestPod, TestRuntime } from '../test/runtime/test-runtime.ts';

const goal = 1.1;

function readWord(name: string, fallback: string): string {
  const place = process.argv.indexOf(`--${name}`);
  return place < 0 ? fallback : (process.argv[place + 1] ?? fallback);
}

const rounds = Number(readWord('rounds', '15'));
const sizes = readWord('sizes', '8,64,256').split(',').map(Number);
const restSeconds = Number(readWord('rest-seconds', '60'));

/** Milliseconds that `work` takes. */
async function measure(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function askAgent(agent: AgentRun, pod: TestPod): Promise<void> {
  const { status, text, json } = await agent.request('POST', `/checkpoint/${pod.namespace}/${pod.name}/app`);
  if (status !== 200) throw new Error(`the agent answered ${status}: ${text}`);
  if (!Array.isArray(json.items)) throw new Error(`the agent answered ${text}`);
}

async function removeArchives(agent: AgentRun): Promise<void> {
  const { json } = await agent.request('GET', '/checkpoints');
  for (const { namespace, name } of json.items as { namespace: string; name: string }[]) {
    await agent.request('DELETE', `/checkpoints/${namespace}/${name}`);
  }
}

/** Measures both in turn; who begins changes from round to round. */
async function compare(runtime: TestRuntime, agent: AgentRun, sizeMiB: number): Promise<boolean> {
  const pod = await runtime.runPod({
    ...{ namespace: 'bench', name: `size-${sizeMiB}` },
    containers: [{ name: 'app', memoryMiB: sizeMiB }],
  });
  const id = pod.containers.get('app') ?? '';
  const exported = join(runtime.folder, 'exported.tar');
  const subjects = [
    { times: [] as number[], run: () => askAgent(agent, pod) },
    { times: [] as number[], run: () => runtime.crictl(['checkpoint', `--export=${exported}`, id]) },
  ];
  for (let round = -1; round < rounds; round += 1) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const millis = await measure(subject.run);
      // The first round warms up.
      if (round >= 0) subject.times.push(millis);
      await rm(exported, { force: true });
      await removeArchives(agent);
    }
  }
  await runtime.removePod(pod);
  const [ours = 0, theirs = 0] = subjects.map(({ times }) => findMedian(times));
  const ratio = ours / theirs;
  const verdict = ratio <= goal ? 'met' : 'MISSED';
  console.log(
    `${String(sizeMiB).padStart(5)} MiB   agent ${ours.toFixed(0).padStart(5)} ms   crictl ${theirs.toFixed(0).padStart(5)} ms   ` +
      `ratio ${ratio.toFixed(2)}   goal ${goal} ${verdict}`,
  );
  return ratio <= goal;
}

/** Says what the agent takes while nobody asks for anything. */
async function measureRest(agent: AgentRun): Promise<void> {
  const pids = [agent.process.pid ?? 0];
  await delay(5_000);
  const [before] = pids.map(readUsage);
  await delay(restSeconds * 1000);
  const [after] = pids.map(readUsage);
  if (before === undefined || after === undefined) throw new Error('the agent has no process');
  const share = ((after.cpuSeconds - before.cpuSeconds) / restSeconds) * 100;
  console.log(
    `at rest for ${restSeconds} s: ${after.residentMegabytes.toFixed(0)} MB resident, ${share.toFixed(2)} % of a processor`,
  );
}

console.log(
  `checkpoints of one container, medians of ${rounds} rounds in turn; ${cpus().length} processors, load ${loadavg()[0]?.toFixed(1) ?? ''}`,
);
const runtime = await startRuntime();
let isMet = true;
try {
  const agent = await startAgentProgram({
    rootDir: join(runtime.folder, 'agent'),
    flags: ['--container-runtime-endpoint', runtime.endpoint],
  });
  try {
    await measureRest(agent);
    for (const size of sizes) isMet = (await compare(runtime, agent, size)) && isMet;
    await measureRest(agent);
  } finally {
    await agent.end();
  }
} finally {
  await runtime.stop();
}
process.exitCode = isMet ? 0 : 1;
