import { cpus, loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

import { findMedian } from '../test/host/figures.ts';
import type { LoadResult, LoadTask } from './api/load-client.ts';
import { bodies, fixedLoad, loads, watchers, type Load } from './api/loads.ts';
import { startOwn, startReal, type Side } from './api/start-sides.ts';

const storedObjects = 20_000;
const memoryGoal = 0.35;
const startGoal = 0.3;
const warmUpPart = 0.3;
const settleMillis = 5000;
const starts = 3;

/** Figures of one round of one load on one side. */
interface Round {
  readonly rate: number;
  readonly cpuSecondsPerThousand: number;
  readonly clientCpuSecondsPerThousand: number;
}

function readWord(name: string, fallback: string): string {
  const place = process.argv.indexOf(`--${name}`);
  return place < 0 ? fallback : (process.argv[place + 1] ?? fallback);
}

const rounds = Number(readWord('rounds', '5'));
const seconds = Number(readWord('seconds', '4'));
/** Names of loads, `latency`, `memory`, `start`; all without it. */
const only = readWord('only', '').split(',').filter(Boolean);
/** Measures the API service alone where that is all one wants to know. */
const isAlone = process.argv.includes('--alone');
/** Where the API service writes what it spends its time on; nowhere without it. */
const profileFolder = readWord('profile', '');

const isAsked = (name: string): boolean => only.length === 0 || only.includes(name);
const missed: string[] = [];

/** Prints whether a goal was met; `isMet` holds of the ratio. */
function judge(name: string, ratio: number, isMet: boolean, goal: string): void {
  if (!isMet) missed.push(`${name}: ${ratio.toFixed(2)} (goal: ${goal})`);
}

function printRow(cells: readonly string[]): void {
  console.log(cells.map((cell, column) => (column === 0 ? cell.padEnd(22) : cell.padStart(14))).join('  '));
}

/** Namespaces of a side, each with the objects of one load. */
class Objects {
  readonly #side: Side;
  readonly #next = new Map<string, number>();

  constructor(side: Side) {
    this.#side = side;
  }

  /** Drives a task in the namespace, which gets its objects first. */
  async drive(
    namespace: string,
    resource: Load['resource'],
    objects: number,
    task: Omit<LoadTask, 'path' | 'first' | 'body' | 'objects'>,
  ): Promise<LoadResult> {
    const common = { path: `/api/v1/namespaces/${namespace}/${resource}`, body: bodies[resource], objects };
    if (!this.#next.has(namespace)) {
      const status = await this.#side.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
      if (status !== 201) throw new Error(`${this.#side.name}: the namespace was answered ${status}`);
      if (objects > 0)
        await this.#side.load.drive({ ...common, mix: { create: 1 }, clients: 16, count: objects, first: 0 });
      this.#next.set(namespace, objects);
    }
    const first = this.#next.get(namespace) ?? 0;
    const result = await this.#side.load.drive({ ...common, ...task, first });
    // A client that ends in the middle has taken a number.
    this.#next.set(namespace, first + result.created);
    return result;
  }
}

async function measureLoads(sides: readonly Side[]): Promise<void> {
  const objects = new Map(sides.map((side) => [side, new Objects(side)]));
  const names = sides.flatMap(({ name }) => [name, 'CPU s/1,000']);
  printRow(['', ...names, 'ratio', 'CPU ratio', 'client CPU s']);
  for (const load of loads) {
    if (!isAsked(load.name)) continue;
    const namespace = load.name.replaceAll(/\W+/g, '-');
    const figures = new Map<Side, Round[]>(sides.map((side) => [side, []]));
    for (let round = 0; round < rounds; round += 1) {
      // Each round begins with the other one.
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const drive = (given: number): Promise<LoadResult> | undefined =>
          objects.get(side)?.drive(namespace, load.resource, load.objects, load.task(given));
        // What runs for the first time is compiled while it runs.
        await drive(round === 0 ? seconds : seconds * warmUpPart);
        const before = side.readUsage();
        const result = await drive(seconds);
        if (result === undefined) continue;
        const rate = load.rate(result);
        const thousands = (rate * result.seconds) / 1000;
        figures.get(side)?.push({
          rate,
          cpuSecondsPerThousand: (side.readUsage().cpuSeconds - before.cpuSeconds) / thousands,
          clientCpuSecondsPerThousand: result.cpuSeconds / thousands,
        });
      }
    }
    const medians = sides.map((side) => {
      const all = figures.get(side) ?? [];
      return {
        rate: findMedian(all.map((one) => one.rate)),
        cpu: findMedian(all.map((one) => one.cpuSecondsPerThousand)),
        client: findMedian(all.map((one) => one.clientCpuSecondsPerThousand)),
      };
    });
    const [own, real] = medians;
    const ratio = (own?.rate ?? NaN) / (real?.rate ?? NaN);
    printRow([
      `${load.name} (${load.unit})`,
      ...medians.flatMap(({ rate, cpu }) => [rate.toFixed(0), cpu.toFixed(3)]),
      ratio.toFixed(2),
      ((own?.cpu ?? NaN) / (real?.cpu ?? NaN)).toFixed(2),
      medians.map(({ client }) => client.toFixed(3)).join(' '),
    ]);
    if (load.goal !== undefined) judge(load.name, ratio, !(ratio < load.goal), `at least ${load.goal}`);
  }
}

async function measureLatency(sides: readonly Side[]): Promise<void> {
  const results = new Map<Side, LoadResult[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const objects = new Objects(side);
      const namespace = `latency-${round}`;
      await objects.drive(namespace, 'configmaps', fixedLoad.objects, fixedLoad.task(seconds * warmUpPart));
      results.get(side)?.push(await objects.drive(namespace, 'configmaps', fixedLoad.objects, fixedLoad.task(seconds)));
    }
  }
  console.log(`\nlatency at ${fixedLoad.perSecond} requests/s, in milliseconds`);
  for (const side of sides) {
    const all = results.get(side) ?? [];
    const [p50, p99] = [findMedian(all.map((one) => one.p50Millis)), findMedian(all.map((one) => one.p99Millis))];
    printRow([side.name, `p50 ${p50.toFixed(2)}`, `p99 ${p99.toFixed(2)}`]);
  }
}

/** On fresh ones, since what a process has done before stays in its memory. */
async function measureMemory(begin: readonly (() => Promise<Side>)[]): Promise<void> {
  console.log(`\nresident memory, in MB: started, with ${storedObjects} objects, and ${settleMillis / 1000} s later`);
  const figures: number[] = [];
  for (const start of begin) {
    // The first start after a change has the compiler of TypeScript in memory too; an image is built with what that makes.
    await (await start()).stop();
    const side = await start();
    try {
      await wait(settleMillis);
      const fresh = side.readUsage().residentMegabytes;
      await new Objects(side).drive('memory', 'configmaps', 0, {
        mix: { create: 1 },
        clients: 16,
        count: storedObjects,
      });
      const filled = side.readUsage().residentMegabytes;
      await wait(settleMillis);
      const settled = side.readUsage().residentMegabytes;
      printRow([side.name, ...[fresh, filled, settled].map((value) => value.toFixed(0))]);
      figures.push(filled);
    } finally {
      await side.stop();
    }
  }
  const ratio = (figures[0] ?? NaN) / (figures[1] ?? NaN);
  if (figures.length > 1) console.log(`ratio ${ratio.toFixed(2)}`);
  judge('memory', ratio, !(ratio > memoryGoal), `at most ${memoryGoal}`);
}

async function measureStarts(begin: readonly (() => Promise<Side>)[]): Promise<void> {
  const figures: number[] = [];
  for (const start of begin) {
    const all: number[] = [];
    for (let turn = 0; turn < starts; turn += 1) {
      const side = await start();
      all.push(side.startSeconds);
      await side.stop();
    }
    figures.push(findMedian(all));
  }
  const ratio = (figures[0] ?? NaN) / (figures[1] ?? NaN);
  console.log(
    `\nfrom nothing to ready, in seconds: ${figures.map((value) => value.toFixed(2)).join(' and ')}, ratio ${ratio.toFixed(2)}`,
  );
  judge('start', ratio, !(ratio > startGoal), `at most ${startGoal}`);
}

const begin = [() => startOwn(profileFolder === '' ? undefined : profileFolder), ...(isAlone ? [] : [startReal])];
console.log(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
console.log(
  `medians of ${rounds} rounds of ${seconds} s, in turn; TLS and a durable disk on both sides; ${watchers} watchers\n`,
);
const sides: Side[] = [];
try {
  if (isAsked('latency') || loads.some(({ name }) => isAsked(name))) {
    for (const start of begin) sides.push(await start());
    await measureLoads(sides);
    if (isAsked('latency')) await measureLatency(sides);
  }
} finally {
  for (const side of sides) await side.stop();
}
if (isAsked('memory')) await measureMemory(begin);
if (isAsked('start')) await measureStarts(begin);
console.log('');
for (const one of missed) console.log(`MISSED ${one}`);
if (missed.length > 0) process.exitCode = 1;
console.log(`load ${loadavg()[0]?.toFixed(1)}`);
