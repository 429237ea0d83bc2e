import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

import { readUsage } from './admission/read-usage.ts';
import { domain, requestOk } from './admission/subjects.ts';
import { governByBailiwick, governByKyverno } from './policies/govern-namespaces.ts';
import { makeLawfulPod } from './policies/sample-policies.ts';
import { startKyverno } from './policies/start-kyverno.ts';
import { startCluster } from '../test/cluster/start-cluster.ts';
import { RequestDriver, type DrivenRequest } from '../test/host/drive-requests.ts';
import { findMedian, findPercentile } from '../test/host/figures.ts';
import { startRelease } from '../test/start-webhooks.ts';

const perSecond = 20;
const medianGoalMillis = 3;
const tailGoalMillis = 15;

/** A namespace, and the process that judges its pods beside the API server. */
interface Subject {
  readonly name: string;
  readonly namespace: string;
  readonly pid?: number;
}

interface Round {
  readonly medianMillis: number;
  readonly tailMillis: number;
  readonly cpuSecondsPerThousand: number;
  readonly residentMegabytes: number;
  /** Requests that were not answered with 201. */
  readonly failures: number;
}

function readWord(name: string, fallback: string): string {
  const place = process.argv.indexOf(`--${name}`);
  return place < 0 ? fallback : (process.argv[place + 1] ?? fallback);
}

const rounds = Number(readWord('rounds', '5'));
const seconds = Number(readWord('seconds', '15'));
/** Whether no two policies have an expression in common; else 300 checks are made of ten. */
const distinct = process.argv.includes('--distinct');

let podCount = 0;

function makeRequest(namespace: string): DrivenRequest {
  podCount += 1;
  return { path: `/api/v1/namespaces/${namespace}/pods`, body: JSON.stringify(makeLawfulPod(`pod-${podCount}`)) };
}

async function measureRound(driver: RequestDriver, { namespace, pid }: Subject): Promise<Round> {
  const make = (): DrivenRequest => makeRequest(namespace);
  let failures = 0;
  // A peer that does not keep up is a figure, not the end.
  const fail = (): void => {
    failures += 1;
  };
  await driver.driveAtRate(perSecond, perSecond, make, fail);
  const before = pid === undefined ? undefined : readUsage(pid);
  const latencies = await driver.driveAtRate(perSecond, perSecond * seconds, make, fail);
  const after = pid === undefined ? undefined : readUsage(pid);
  return {
    medianMillis: findPercentile(latencies, 0.5),
    tailMillis: findPercentile(latencies, 0.99),
    cpuSecondsPerThousand: (((after?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0)) / latencies.length) * 1000,
    residentMegabytes: after?.residentMegabytes ?? 0,
    failures,
  };
}

const folder = await mkdtemp(join(tmpdir(), 'bailiwick-policies-'));
const closing: (() => Promise<unknown> | void)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  const off = 'ServiceAccount,ValidatingAdmissionPolicy,MutatingAdmissionPolicy';
  const cluster = await startCluster({ waitsForDisk: true, apiServerFlags: [`--disable-admission-plugins=${off}`] });
  closing.push(() => cluster.stop());
  const kyverno = await startKyverno(cluster, folder);
  closing.push(() => kyverno.stop());
  const release = await startRelease({ cluster, domain, replicas: 1, isDirect: true });
  closing.push(() => release.stop());
  await requestOk(cluster, 'POST', '/api/v1/namespaces', { metadata: { name: 'without' } });
  await governByBailiwick(cluster, 'bailiwick', { domain, distinct });
  await governByKyverno(cluster, 'kyverno-judged', distinct);
  const without: Subject = { name: 'no policy', namespace: 'without' };
  const pid = release.webhooks[0]?.process.pid;
  const ours: Subject = { name: 'Bailiwick', namespace: 'bailiwick', ...(pid === undefined ? {} : { pid }) };
  const theirs: Subject = { name: 'Kyverno', namespace: 'kyverno-judged', pid: kyverno.pid };
  const subjects = [without, ours, theirs];
  const driver = new RequestDriver(cluster);
  closing.push(() => driver.close());

  console.log(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
  const results = new Map(subjects.map((subject) => [subject, [] as Round[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const place of subjects.keys()) {
      const subject = subjects[(place + round) % subjects.length] ?? without;
      const figures = await measureRound(driver, subject);
      // The first round warms up.
      if (round > 0) results.get(subject)?.push(figures);
    }
  }
  const pick = (subject: Subject, read: (round: Round) => number): number =>
    findMedian((results.get(subject) ?? []).map(read));
  const addedMedian = (subject: Subject): number =>
    pick(subject, ({ medianMillis }) => medianMillis) - pick(without, ({ medianMillis }) => medianMillis);
  const addedTail = (subject: Subject): number =>
    pick(subject, ({ tailMillis }) => tailMillis) - pick(without, ({ tailMillis }) => tailMillis);
  console.log(
    `pods created at ${perSecond}/s under 100 policies of ${distinct ? 300 : 10} expressions, ms, medians of ${rounds} rounds of ${seconds} s\n`,
  );
  console.log(
    ['', 'p50', 'p99', 'added p50', 'added p99', 'CPU s/1000', 'MB', 'failed']
      .map((cell) => cell.padStart(10))
      .join(' '),
  );
  for (const subject of subjects) {
    const cells = [
      pick(subject, ({ medianMillis }) => medianMillis),
      pick(subject, ({ tailMillis }) => tailMillis),
      addedMedian(subject),
      addedTail(subject),
      pick(subject, ({ cpuSecondsPerThousand }) => cpuSecondsPerThousand),
      pick(subject, ({ residentMegabytes }) => residentMegabytes),
    ];
    const failed = (results.get(subject) ?? []).reduce((sum, { failures }) => sum + failures, 0);
    console.log(
      [subject.name, ...cells.map((value) => value.toFixed(2)), String(failed)]
        .map((cell) => cell.padStart(10))
        .join(' '),
    );
  }
  console.log('');
  for (const [name, value, goal] of [
    ['added p50, ms', addedMedian(ours), medianGoalMillis],
    ['added p99, ms', addedTail(ours), tailGoalMillis],
    ['failed requests', (results.get(ours) ?? []).reduce((sum, { failures }) => sum + failures, 0), 0],
  ] as const) {
    const isMet = value <= goal;
    console.log(`${isMet ? 'met ' : 'MISSED'} ${name}: ${value.toFixed(2)} (goal: at most ${goal})`);
    if (!isMet) process.exitCode = 1;
  }
  console.log(`      added p50, times Kyverno's: ${(addedMedian(ours) / addedMedian(theirs)).toFixed(2)}`);
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  for (const close of closing.toReversed()) await close();
}
