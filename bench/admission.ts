import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

import { readUsage } from './admission/read-usage.ts';
import { readWebhookTimes, subtractWebhookTimes } from './admission/read-webhook-time.ts';
import { startNoOp } from './admission/start-no-op.ts';
import { domain, governNamespace, requestOk } from './admission/subjects.ts';
import type { Subject } from './admission/subjects.ts';
import { startCluster } from '../test/cluster/start-cluster.ts';
import { RequestDriver } from '../test/host/drive-requests.ts';
import type { DrivenRequest } from '../test/host/drive-requests.ts';
import { findMedian, findPercentile } from '../test/host/figures.ts';
import { startRelease } from '../test/start-webhooks.ts';

const perSecond = 50;
const workers = 16;
const limitsMedianGoal = 1.5;
const limitsTailGoal = 2;
const quotaMedianGoalMillis = 12;

/** Figures of one round of one subject. */
interface Round {
  readonly medianMillis: number;
  readonly tailMillis: number;
  readonly throughput: number;
  readonly cpuSecondsPerThousand: number;
  readonly residentMegabytes: number;
}

function readWord(name: string, fallback: string): string {
  const place = process.argv.indexOf(`--${name}`);
  return place < 0 ? fallback : (process.argv[place + 1] ?? fallback);
}

const rounds = Number(readWord('rounds', '7'));
const openSeconds = Number(readWord('open-seconds', '10'));
const closedSeconds = Number(readWord('closed-seconds', '4'));
/** Namespaces to measure; all without it. */
const only = readWord('only', '');
/** Where the programs write what they spend their processor time on; nowhere without it. */
const profileFolder = readWord('profile', '');

let podCount = 0;

function makePod(namespace: string): DrivenRequest {
  podCount += 1;
  const metadata = { name: `pod-${podCount}`, labels: { app: 'web' } };
  const spec = { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] }] };
  return {
    path: `/api/v1/namespaces/${namespace}/pods`,
    body: JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }),
  };
}

function sumUsage(pids: readonly number[]): { cpuSeconds: number; residentMegabytes: number } {
  const usages = pids.map(readUsage);
  return {
    cpuSeconds: usages.reduce((sum, one) => sum + one.cpuSeconds, 0),
    residentMegabytes: usages.reduce((sum, one) => sum + one.residentMegabytes, 0),
  };
}

async function measureRound(subject: Subject, driver: RequestDriver): Promise<Round> {
  const { namespace, cluster, pids } = subject;
  const make = (): DrivenRequest => makePod(namespace);
  // Connections and caches are warm, and what was before is over.
  await driver.driveAtRate(perSecond, perSecond, make);
  const before = sumUsage(pids);
  const firstCount = podCount;
  const latencies = await driver.driveAtRate(perSecond, perSecond * openSeconds, make);
  const throughput = await driver.driveFlatOut(workers, closedSeconds, make);
  const after = sumUsage(pids);
  const count = podCount - firstCount;
  await requestOk(cluster, 'DELETE', `/api/v1/namespaces/${namespace}/pods?gracePeriodSeconds=0`);
  return {
    medianMillis: findPercentile(latencies, 0.5),
    tailMillis: findPercentile(latencies, 0.99),
    throughput,
    cpuSecondsPerThousand: ((after.cpuSeconds - before.cpuSeconds) / count) * 1000,
    residentMegabytes: after.residentMegabytes,
  };
}

/** Pads texts to columns. */
function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(cells.join('  '));
  }
}

const folder = await mkdtemp(join(tmpdir(), 'bailiwick-admission-'));
const closing: (() => Promise<unknown> | void)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  const noAccounts = '--disable-admission-plugins=ServiceAccount';
  const cluster = await startCluster({
    waitsForDisk: true,
    apiServerFlags: [`${noAccounts},ResourceQuota,LimitRanger`],
  });
  closing.push(() => cluster.stop());
  const builtIn = await startCluster({ waitsForDisk: true, apiServerFlags: [noAccounts] });
  closing.push(() => builtIn.stop());
  if (profileFolder !== '') process.env['NODE_OPTIONS'] = `--cpu-prof --cpu-prof-dir=${profileFolder}`;
  const run = await startRelease({ cluster, domain, replicas: 1, isDirect: true });
  closing.push(() => run.stop());
  const ownVersion = `core.${domain}/v1`;
  for (const name of ['without', 'no-op', 'patching']) {
    await requestOk(cluster, 'POST', '/api/v1/namespaces', { metadata: { name } });
  }
  const noOp = await startNoOp(cluster, folder, 'no-op', 'patching');
  closing.push(() => noOp.stop());
  await governNamespace(cluster, 'limits', ownVersion, false);
  await governNamespace(cluster, 'quota', ownVersion, true);
  await governNamespace(builtIn, 'built-in', 'v1', true);
  await Promise.all([
    run.waitForEvent('limits', 'sizes', 'Enforced'),
    run.waitForEvent('quota', 'compute', 'Enforced'),
  ]);
  const webhookPids = run.webhooks.flatMap((program) => program?.process.pid ?? []);
  const without: Subject = { name: 'without us', namespace: 'without', cluster, pids: [] };
  const floor: Subject = { name: 'no-op webhook in Go', namespace: 'no-op', cluster, pids: [noOp.pid] };
  const patching: Subject = { name: 'Go, patching as limits do', namespace: 'patching', cluster, pids: [noOp.pid] };
  const limits: Subject = { name: 'limits', namespace: 'limits', cluster, pids: webhookPids };
  const quota: Subject = { name: 'limits and quota', namespace: 'quota', cluster, pids: webhookPids };
  const hosts: Subject = { name: "host's limits and quota", namespace: 'built-in', cluster: builtIn, pids: [] };
  const subjects = [without, floor, patching, limits, quota, hosts].filter(
    ({ namespace }) => only === '' || only.split(',').includes(namespace),
  );

  const drivers = new Map([cluster, builtIn].map((one) => [one, new RequestDriver(one)]));
  for (const driver of drivers.values()) closing.push(() => driver.close());
  const results = new Map(subjects.map((subject) => [subject, [] as Round[]]));
  const hostTimes = async () => readWebhookTimes(String((await cluster.request('GET', '/metrics')).body));
  const timesBefore = await hostTimes();
  console.log(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
  for (let round = 0; round <= rounds; round += 1) {
    // Each round begins with another one, so that none always has what the one before left.
    for (const place of subjects.keys()) {
      const subject = subjects[(place + round) % subjects.length] ?? without;
      const driver = drivers.get(subject.cluster);
      if (driver === undefined) continue;
      const figures = await measureRound(subject, driver);
      // The first round warms up.
      if (round > 0) results.get(subject)?.push(figures);
    }
  }

  const pick = (subject: Subject, read: (round: Round) => number): number =>
    findMedian((results.get(subject) ?? []).map(read));
  const median = (subject: Subject): number => pick(subject, (round) => round.medianMillis);
  const tail = (subject: Subject): number => pick(subject, (round) => round.tailMillis);
  // The host's own plugins stand on another cluster, whose figures without them are as those of the first.
  const addedMedian = (subject: Subject): number => median(subject) - median(without);
  const addedTail = (subject: Subject): number => tail(subject) - tail(without);
  const millis = (value: number): string => value.toFixed(2);
  printTable([
    ['ms at 50/s, medians of rounds', 'p50', 'p99', 'added p50', 'added p99', 'flat out/s', 'CPU s/1000', 'MB'],
    ...subjects.map((subject) => [
      subject.name,
      ...[median(subject), tail(subject), addedMedian(subject), addedTail(subject)].map(millis),
      pick(subject, (round) => round.throughput).toFixed(0),
      ...(subject.pids.length === 0
        ? ['', '']
        : [
            pick(subject, (round) => round.cpuSecondsPerThousand).toFixed(2),
            pick(subject, (round) => round.residentMegabytes).toFixed(0),
          ]),
    ]),
  ]);
  console.log('\nthe API server’s own clock, mean ms a call:');
  for (const [name, { calls, seconds }] of subtractWebhookTimes(await hostTimes(), timesBefore)) {
    console.log(`  ${name}: ${((seconds / calls) * 1000).toFixed(2)} (${calls} calls)`);
  }

  // What the host spends on a patch comes with whoever fills in defaults: the patching webhook in Go has that too.
  const goals: [string, number, number][] = [
    ['limits, p50 of creations, times the no-op’s', median(limits) / median(floor), limitsMedianGoal],
    ['limits, p99 of creations, times the no-op’s', tail(limits) / tail(floor), limitsTailGoal],
    ['limits, added p50, times that of patching in Go', addedMedian(limits) / addedMedian(patching), limitsMedianGoal],
    ['limits and quota, added p50, ms', addedMedian(quota), quotaMedianGoalMillis],
  ];
  const others: [string, number][] = [
    ['limits, added p50, times the no-op’s', addedMedian(limits) / addedMedian(floor)],
    ['limits, added p99, times the no-op’s', addedTail(limits) / addedTail(floor)],
    ['limits and quota, p50 of creations, ms', median(quota)],
    ['limits and quota, added p50, times that of the host’s plugins', addedMedian(quota) / addedMedian(hosts)],
  ];
  console.log('');
  for (const [name, value, goal] of goals) {
    // What was left out has no figures.
    if (only !== '' && Number.isNaN(value)) continue;
    const isMet = value <= goal;
    console.log(`${isMet ? 'met ' : 'MISSED'} ${name}: ${value.toFixed(2)} (goal: at most ${goal})`);
    if (!isMet) process.exitCode = 1;
  }
  for (const [name, value] of others) console.log(`      ${name}: ${value.toFixed(2)}`);
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  for (const close of closing.toReversed()) await close();
}
