import { cpus, loadavg } from 'node:os';

import { Crowd, type CrowdSize } from './disruption/crowd.ts';
import { readUsage } from './admission/read-usage.ts';
import { startCluster } from '../test/cluster/start-cluster.ts';
import { connectApi, readApiAccess } from '../test/host/connect-api.ts';
import { findPercentile } from '../test/host/figures.ts';
import { startService } from '../test/service/start-service.ts';
import { startRelease } from '../test/start-webhooks.ts';

const domain = 'bailiwick.dev';
const goalMillis = 1_000;
const size: CrowdSize = { namespaces: 10, budgetsOfNamespace: 50, podsOfBudget: 10 };
const rounds = 3;
const changesOfRound = 100;
const perSecond = 25;

/** Somebody who counts budgets, and whose processes count them. */
interface Subject {
  readonly name: string;
  readonly crowd: Crowd;
  readonly pid: number;
  /** What the process holds besides counting. */
  readonly note: string;
  readonly latencies: number[];
  readonly bursts: number[];
  readonly cpuSeconds: number[];
}

const closing: (() => Promise<unknown> | void)[] = [];
let seed = 1;

/** The same numbers in each run. */
function pickBelow(bound: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % bound;
}

async function wait(millis: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, millis));
}

/** Changes at a rate, each of a pod of another budget; then one pod of every budget at once. */
async function measureRound({ crowd, pid, latencies, bursts, cpuSeconds }: Subject): Promise<void> {
  const before = readUsage(pid);
  const changes: Promise<number>[] = [];
  const first = pickBelow(crowd.budgetCount);
  for (let i = 0; i < changesOfRound; i += 1) {
    changes.push(crowd.changePod((first + i) % crowd.budgetCount, pickBelow(size.podsOfBudget)));
    await wait(1_000 / perSecond);
  }
  latencies.push(...(await Promise.all(changes)));
  cpuSeconds.push(readUsage(pid).cpuSeconds - before.cpuSeconds);
  const pod = pickBelow(size.podsOfBudget);
  const startMillis = performance.now();
  await Promise.all(Array.from({ length: crowd.budgetCount }, (_, budget) => crowd.changePod(budget, pod)));
  bursts.push(performance.now() - startMillis);
}

async function startSubjects(): Promise<Subject[]> {
  const cluster = await startCluster({
    waitsForDisk: true,
    controllerManager: true,
    // With its own bounds of 20 requests a second it would wait for itself most of the time.
    controllerManagerFlags: ['--controllers=disruption-controller', '--kube-api-qps=1000', '--kube-api-burst=2000'],
    apiServerFlags: ['--disable-admission-plugins=ServiceAccount'],
  });
  closing.push(() => cluster.stop());
  const release = await startRelease({ cluster, domain, replicas: 1 });
  closing.push(() => release.stop());
  const service = await startService({ domain: 'k8s.io' });
  closing.push(() => service.stop());
  const real = connectApi(cluster);
  const embedded = connectApi(await readApiAccess(service.kubeconfig));
  closing.push(
    () => real.close(),
    () => embedded.close(),
  );
  const make = (name: string, crowd: Crowd, pid: number | undefined, note: string): Subject => {
    closing.push(() => crowd.close());
    return { ...{ name, crowd, note }, pid: pid ?? 0, latencies: [], bursts: [], cpuSeconds: [] };
  };
  return [
    make(
      'kube-controller-manager',
      new Crowd(real, 'theirs', 'policy/v1', size),
      cluster.pids.get('kube-controller-manager'),
      'its disruption controller alone',
    ),
    make(
      'ours on the same host',
      new Crowd(real, 'ours', `policy.${domain}/v1`, size),
      release.operators[0]?.process.pid,
      'the whole operator',
    ),
    make(
      'ours embedded',
      new Crowd(embedded, 'ours', 'policy/v1', size),
      service.process.pid,
      'the whole service, all objects included',
    ),
  ];
}

try {
  console.log(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
  const subjects = await startSubjects();
  for (const { name, crowd } of subjects) {
    const startMillis = performance.now();
    await crowd.create();
    const seconds = ((performance.now() - startMillis) / 1_000).toFixed(1);
    console.log(`${name}: ${crowd.podCount} pods of ${crowd.budgetCount} budgets made and counted in ${seconds} s`);
  }
  for (let round = 0; round <= rounds; round += 1) {
    for (const place of subjects.keys()) {
      const subject = subjects[(place + round) % subjects.length];
      if (subject === undefined) continue;
      await measureRound(subject);
      if (round > 0) continue;
      // The first round warms up.
      for (const figures of [subject.latencies, subject.bursts, subject.cpuSeconds]) figures.length = 0;
    }
  }
  console.log(
    `\nfrom before a pod's change to the status that shows it, ms, ${rounds} rounds of ${changesOfRound} changes at ${perSecond}/s;`,
  );
  console.log('"all": until every budget shows a change of a pod of each at once, the longest round\n');
  console.log(
    `${''.padEnd(24)}${['p50', 'p99', 'max', 'all', 'CPU ms/change', 'MB'].map((cell) => cell.padStart(14)).join('')}`,
  );
  for (const { name, latencies, bursts, cpuSeconds, pid, note } of subjects) {
    const cpuMillis = (cpuSeconds.reduce((sum, one) => sum + one, 0) * 1_000) / latencies.length;
    const cells = [
      ...[findPercentile(latencies, 0.5), findPercentile(latencies, 0.99), Math.max(...latencies), Math.max(...bursts)],
      ...[cpuMillis, readUsage(pid).residentMegabytes],
    ];
    console.log(`${name.padEnd(24)}${cells.map((value) => value.toFixed(1).padStart(14)).join('')}  (${note})`);
  }
  console.log('');
  for (const { name, latencies } of subjects.slice(1)) {
    const longest = Math.max(...latencies);
    const isMet = longest < goalMillis;
    console.log(
      `${isMet ? 'met ' : 'MISSED'} ${name}: longest ${longest.toFixed(0)} ms (goal: under ${goalMillis} ms)`,
    );
    if (!isMet) process.exitCode = 1;
  }
  const load = loadavg()[0] ?? 0;
  console.log(`load ${load.toFixed(1)}`);
  // The processes of the bench itself make a load of about two a core.
  if (load > 3 * cpus().length) console.log('others kept this machine busy: the figures say little');
} finally {
  for (const close of closing.toReversed()) await close();
}
