import { cpus, loadavg } from 'node:os';

import { findMedian } from '../test/host/figures.ts';
import {
  compareWaits,
  driveFlows,
  readExecutions,
  readWaits,
  type FlowLoad,
  type FlowReport,
  type FlowTask,
} from './flow/drive-flows.ts';
import { seats } from './flow/flow-objects.ts';
import { measureCost } from './flow/measure-cost.ts';
import { startFlowSide, type FlowSide } from './flow/start-flow-sides.ts';

const costGoalMicros = 20;
const ratioGoal = 2;
const handlerMillis = 20;
const miceCount = 10;
const elephantTimes = 20;
const settleSeconds = 8;
const costRequests = 400_000;
const leastServed = 0.85;
const calibrationSteps = 3;

function readWord(name: string, fallback: string): string {
  const place = process.argv.indexOf(`--${name}`);
  return place < 0 ? fallback : (process.argv[place + 1] ?? fallback);
}

const rounds = Number(readWord('rounds', '3'));
const seconds = Number(readWord('seconds', '30'));
const seed = Number(readWord('seed', String(Date.now() % 1_000_000)));
/** How much of the seats the mice need when they are alone: enough that they wait for each other now and then. */
const miceUse = Number(readWord('use', '0.8'));
/** `cost` or `fairness`; both without it. */
const only = readWord('only', '');
/** Measures the API service alone where that is all one wants to know. */
const isAlone = process.argv.includes('--alone');

const perMouse = Math.round((seats * 1000 * miceUse) / handlerMillis / miceCount);
const mice: readonly FlowLoad[] = Array.from({ length: miceCount }, (_, index) => ({
  ...{ user: `mouse-${index}`, group: 'mice', perSecond: perMouse },
}));
const elephant: FlowLoad = { user: 'elephant', group: 'elephant', perSecond: perMouse * elephantTimes };

/** The mice of one round. */
interface Round {
  readonly report: FlowReport;
  /** What the client saw, less what a request takes that need not wait. */
  readonly p99WaitMillis: number;
  /** By the server's own metrics. */
  readonly measured: { readonly meanMillis: number; readonly p99Millis: number };
  /** How long seats were held, by the server's own metrics. */
  readonly heldMillis: number;
  readonly elephant: FlowReport | undefined;
}

const missed: string[] = [];

function printRow(cells: readonly string[]): void {
  console.log(cells.map((cell, column) => (column === 0 ? cell.padEnd(34) : cell.padStart(14))).join('  '));
}

/** One request after the other; resolves to how long most take, and how many questions each makes. */
async function measureLonely(side: FlowSide, delayMillis: number): Promise<{ millis: number; questions: number }> {
  const before = await side.setDelay(delayMillis);
  const flows = [{ user: 'lonely', group: 'mice', perSecond: 0 }];
  const { mice: report } = await driveFlows(side, { flows, warmSeconds: 0, seconds: 2, seed });
  const after = await side.setDelay(delayMillis);
  return { millis: report?.p50Millis ?? NaN, questions: (after - before) / (report?.answered ?? NaN) };
}

/** One side under one load. Its requests are to hold their seats as long as those of any other. */
class Subject {
  readonly side: FlowSide;
  readonly flows: readonly FlowLoad[];
  readonly rounds: Round[] = [];
  readonly #questions: number;
  #delayMillis: number;
  /** Time that requests held their seats besides the delays, and of how many requests that was seen. */
  #overhead = { sumMillis: 0, count: 0 };

  constructor(
    side: FlowSide,
    flows: readonly FlowLoad[],
    bare: { readonly millis: number; readonly questions: number },
  ) {
    this.side = side;
    this.flows = flows;
    this.#questions = Math.max(1, Math.round(bare.questions));
    this.#delayMillis = Math.max(0, (handlerMillis - bare.millis) / this.#questions);
  }

  get delayMillis(): number {
    return this.#delayMillis;
  }

  /** Lets the load run in. */
  async settle(turn: number): Promise<void> {
    await this.#drive({ warmSeconds: 1, seconds: settleSeconds, seed: seed - 1 - turn });
  }

  /** `freeMillis`: what a request takes that need not wait. */
  async measure(turn: number, freeMillis: number): Promise<void> {
    const before = readWaits(await this.side.readMetrics(), 'mice');
    const { groups, heldMillis } = await this.#drive({ warmSeconds: 1, seconds, seed: seed + turn });
    const measured = compareWaits(before, readWaits(await this.side.readMetrics(), 'mice'));
    const report = groups['mice'];
    if (report === undefined) throw new Error('the mice were not heard of');
    const p99WaitMillis = Math.max(0, report.p99Millis - freeMillis);
    this.rounds.push({ report, p99WaitMillis, measured, heldMillis, elephant: groups['elephant'] });
  }

  async #drive(
    task: Omit<FlowTask, 'flows'>,
  ): Promise<{ readonly groups: Readonly<Record<string, FlowReport>>; readonly heldMillis: number }> {
    await this.side.setDelay(this.#delayMillis);
    const before = readExecutions(await this.side.readMetrics(), 'mice');
    const groups = await driveFlows(this.side, { flows: this.flows, ...task });
    const after = readExecutions(await this.side.readMetrics(), 'mice');
    const count = after.count - before.count;
    const sumMillis = (after.sumSeconds - before.sumSeconds) * 1000;
    this.#adjust(sumMillis - count * this.#questions * this.#delayMillis, count);
    return { groups, heldMillis: sumMillis / count };
  }

  /** Has whoever is asked take so long from now on that seats are held for the time wanted, by what was seen last and half of what was before. */
  #adjust(overheadMillis: number, count: number): void {
    const known = this.#overhead;
    this.#overhead = { sumMillis: known.sumMillis / 2 + overheadMillis, count: known.count / 2 + count };
    const { sumMillis, count: seen } = this.#overhead;
    this.#delayMillis = Math.max(0, (handlerMillis - sumMillis / seen) / this.#questions);
  }
}

/** Both loads of one side, after their requests hold their seats as long as they should. */
interface Pair {
  readonly side: FlowSide;
  /** What a request takes that need not wait. */
  readonly freeMillis: number;
  readonly without: Subject;
  readonly withElephant: Subject;
}

async function calibrate(side: FlowSide): Promise<Pair> {
  await measureLonely(side, 1);
  const bare = await measureLonely(side, 0);
  const without = new Subject(side, mice, bare);
  const withElephant = new Subject(side, [...mice, elephant], bare);
  for (let step = 0; step < calibrationSteps; step += 1) {
    await without.settle(step);
    await withElephant.settle(step);
  }
  const { millis: freeMillis } = await measureLonely(side, without.delayMillis);
  return { side, freeMillis, without, withElephant };
}

/** Prints what the mice waited, and what became of the elephant; returns how many times as long they wait with it. */
function reportPair({ side, without, withElephant }: Pair): number {
  const rows = [
    ['mice alone', without.rounds],
    ['with the elephant', withElephant.rounds],
  ] as const;
  const [base = NaN, loaded = NaN] = rows.map(([name, all]) => {
    const median = (read: (round: Round) => number): number => findMedian(all.map(read));
    printRow([
      `${side.name}: ${name}`,
      median(({ p99WaitMillis }) => p99WaitMillis).toFixed(1),
      median(({ measured }) => measured.p99Millis).toFixed(1),
      median(({ measured }) => measured.meanMillis).toFixed(2),
      median(({ heldMillis }) => heldMillis).toFixed(2),
      median(({ report }) => report.answered).toFixed(0),
      median(({ report }) => report.refused).toFixed(0),
    ]);
    return median(({ p99WaitMillis }) => p99WaitMillis);
  });
  const elephants = withElephant.rounds.flatMap((round) => round.elephant ?? []);
  printRow([
    `${side.name}: the elephant itself`,
    ...['', '', '', ''],
    findMedian(elephants.map(({ answered }) => answered)).toFixed(0),
    findMedian(elephants.map(({ refused }) => refused)).toFixed(0),
  ]);
  const served = findMedian(
    withElephant.rounds.map(({ report, elephant: own }) => (report.answered + (own?.answered ?? 0)) / seconds),
  );
  const possible = (seats * 1000) / handlerMillis;
  console.log(`${side.name} served ${served.toFixed(0)} requests/s with the elephant, where ${possible} are possible`);
  // A handler takes longer than it should where the processors have other things to do; what the mice wait for is then the machine.
  if (served < possible * leastServed) console.log('THE MACHINE IS TOO BUSY for this to say much of flow control');
  return loaded / base;
}

async function measureFairness(): Promise<void> {
  const sides: FlowSide[] = [];
  try {
    for (const which of isAlone ? (['own'] as const) : (['own', 'real'] as const))
      sides.push(await startFlowSide(which));
    const pairs: Pair[] = [];
    for (const side of sides) pairs.push(await calibrate(side));
    for (let round = 0; round < rounds; round += 1) {
      // Each round begins with the other one.
      for (const { without, withElephant, freeMillis } of round % 2 === 0 ? pairs : pairs.toReversed()) {
        for (const subject of [without, withElephant]) {
          await subject.settle(calibrationSteps + round);
          await subject.measure(round, freeMillis);
        }
      }
    }
    console.log(`\nseats are made to be held for ${handlerMillis} ms, with the elephant as without it`);
    console.log(`waits of the mice, in milliseconds: medians of ${rounds} rounds of ${seconds} s, seed ${seed}`);
    printRow(['', 'p99, client', 'p99, metric', 'mean, metric', 'seats held', 'answered', 'refused']);
    const ratios = pairs.map((pair) => reportPair(pair));
    const [own = NaN, real] = ratios;
    console.log(
      `ratio of the p99: ${ratios.map((ratio, index) => `${sides[index]?.name} ${ratio.toFixed(2)}`).join(', ')}`,
    );
    if (!(own <= ratioGoal)) missed.push(`ratio: ${own.toFixed(2)} (goal: at most ${ratioGoal})`);
    if (real !== undefined && !(own <= real))
      missed.push(`ratio: ${own.toFixed(2)} (goal: at most that of the other, ${real.toFixed(2)})`);
  } finally {
    for (const side of sides) await side.stop();
  }
}

console.log(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
if (only !== 'fairness') {
  const costs = [1, 2, 3].map(() => measureCost(costRequests).micros);
  const cost = findMedian(costs);
  console.log(
    `flow control of a request that need not wait: ${cost.toFixed(2)} µs of processor time (${costRequests} requests, 3 times)`,
  );
  if (!(cost <= costGoalMicros)) missed.push(`cost: ${cost.toFixed(2)} µs (goal: at most ${costGoalMicros})`);
}
if (only !== 'cost') {
  console.log(
    `${seats} seats; ${miceCount} mice of ${perMouse} requests/s each, an elephant of ${perMouse * elephantTimes}`,
  );
  console.log(
    `the goal of ${ratioGoal} is for mice that need ${miceUse * 100} % of the seats; those that need less hardly wait alone, see --use 0.5`,
  );
  await measureFairness();
}
console.log('');
for (const one of missed) console.log(`MISSED ${one}`);
if (missed.length > 0) process.exitCode = 1;
console.log(`load ${loadavg()[0]?.toFixed(1)}`);
