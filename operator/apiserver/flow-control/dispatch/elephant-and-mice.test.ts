import { describe, expect, it } from 'vitest';
import { buildDispatcher, ask, makeConfiguration, type Asked } from './build-test-dispatcher.ts';
import { Dispatcher } from './dispatcher.ts';
import { fairRules, kubernetesRules, type QueuingRules } from './queuing-rules.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { simulateRequests, type SimulatedRequest } from './simulate-requests.ts';

const seed = Number(process.env['BAILIWICK_SEED'] ?? 20_260_401);
const millis = 1e6;
const queuing = { queues: 64, handSize: 8, queueLengthLimit: 50 };

/** Numbers between 0 and 1 that are the same for the same seed. */
function makeRandom(first: number): () => number {
  let state = first >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Requests that come at random, so many in a second. */
function comeAtRandom(
  random: () => number,
  flow: string,
  { perSecond, seconds, durationMillis }: Readonly<Record<'perSecond' | 'seconds' | 'durationMillis', number>>,
): SimulatedRequest[] {
  const requests: SimulatedRequest[] = [];
  for (let atNanos = 0; ;) {
    atNanos += Math.ceil((-Math.log(1 - random()) / perSecond) * 1e9);
    if (atNanos > seconds * 1e9) return requests;
    requests.push({
      ...{ atNanos, flow, initialSeats: 1, finalSeats: 0, latencyNanos: 0, durationNanos: durationMillis * millis },
      patienceNanos: 0,
    });
  }
}

/**
 * The wait that 99 of 100 requests of the mice stay below, in milliseconds; a refused one counts as endless. `use`: the part of the seats
 * that the mice need when a request takes 20 ms.
 */
function measureMice(hasElephant: boolean, rules: QueuingRules, use: number, durationMillis = 20): number {
  const random = makeRandom(seed);
  const perSecond = 50 * use;
  const run = { seconds: 30, durationMillis };
  const mice = Array.from({ length: 10 }, (_, i) => comeAtRandom(random, `mouse ${i}`, { perSecond, ...run })).flat();
  const elephant = hasElephant ? comeAtRandom(random, 'elephant', { perSecond: 20 * perSecond, ...run }) : [];
  const requests = [...mice, ...elephant].sort((left, right) => left.atNanos - right.atNanos);
  const { startedNanos } = simulateRequests({ queuing, seatLimit: 10 }, requests, { rules });
  const waits = requests.flatMap(({ flow, atNanos }, i) => {
    const started = startedNanos[i] ?? -1;
    return flow === 'elephant' ? [] : [started < 0 ? Infinity : (started - atNanos) / millis];
  });
  return waits.sort((left, right) => left - right)[Math.floor(0.99 * waits.length)] ?? 0;
}

describe('an elephant and ten mice on ten seats', () => {
  // Where the mice leave many seats free, they hardly wait when they are alone: any wait for a seat that the elephant holds is many times that.
  it.for<[use: number, times: number]>([
    [0.5, 6],
    [0.6, 4],
    [0.7, 4],
    [0.8, 2],
  ])('leaves mice that need %d of the seats at most %d times their wait, and less than Kubernetes', ([use, times]) => {
    const [alone, together] = [measureMice(false, fairRules, use), measureMice(true, fairRules, use)];
    const theirsAlone = measureMice(false, kubernetesRules, use);
    const theirsTogether = measureMice(true, kubernetesRules, use);
    const show = (wait: number): string => `${wait.toFixed(1)} ms`;
    console.log(
      `seed ${seed}, use ${use}: p99 ${show(alone)} alone and ${show(together)} with the elephant (${(together / alone).toFixed(1)}x); by the rules of Kubernetes ${show(theirsAlone)} and ${show(theirsTogether)} (${(theirsTogether / theirsAlone).toFixed(1)}x)`,
    );
    expect(alone).toBeGreaterThan(0);
    expect(together / alone).toBeLessThanOrEqual(times);
    expect(together / alone).toBeLessThanOrEqual(theirsTogether / theirsAlone);
  });

  // Little is left over then: how the mice fare depends on how much of its lead the elephant has to give back.
  it('leaves them at most twice their wait also where requests take longer than usual', () => {
    const measure = (rules: QueuingRules): number =>
      measureMice(true, rules, 0.8, 21.5) / measureMice(false, rules, 0.8, 21.5);
    const [times, withHalfTheLead] = [measure(fairRules), measure({ ...fairRules, maxLeadNanos: 100 * millis })];
    console.log(`${times.toFixed(2)}x, and ${withHalfTheLead.toFixed(2)}x with half the lead held against it`);
    expect(times).toBeLessThanOrEqual(2);
    expect(withHalfTheLead).toBeGreaterThan(times);
  });
});

/** Sends requests of one client at a rate, each as soon as one of its `workers` is free; returns how many were done, of how many. */
function sendUniformly(
  start: (decided: () => void) => Asked,
  clock: SimulatedClock,
  {
    perSecond,
    workers,
    seconds,
    millisEach,
  }: Readonly<Record<'perSecond' | 'workers' | 'seconds' | 'millisEach', number>>,
): { done: number } {
  const counted = { done: 0 };
  const work = (atMillis: number): void => {
    const nowMillis = clock.nowNanos() / millis;
    if (nowMillis >= seconds * 1000) return;
    const asked = start(() => serve());
    const serve = (): void => {
      clock.schedule(millisEach, () => {
        counted.done += 1;
        asked.ticket.finish();
        const next = atMillis + 1000 / perSecond;
        clock.schedule(Math.max(0, next - clock.nowNanos() / millis), () => work(next));
      });
    };
    if (asked.ticket.state === 'executing') serve();
  };
  for (let worker = 0; worker < workers; worker += 1)
    clock.schedule(worker / workers, () => work(clock.nowNanos() / millis));
  return counted;
}

// The clients, rates and expectations of the specs of Kubernetes that are left out there, as clocks and machines disturb them.
describe('requests cannot be drowned out', () => {
  const load = { seconds: 10, millisEach: 5 };

  it.for<[what: string, levels: [string, string]]>([
    ['by those of another level', ['high', 'low']],
    ['by those of another flow of the same level', ['shared', 'shared']],
  ])('%s', ([, [highLevel, lowLevel]]) => {
    const clock = new SimulatedClock();
    const names = [...new Set([highLevel, lowLevel])];
    const configuration = makeConfiguration(
      names.map((name) => ({ name, shares: 1, queuing: { ...queuing, queues: 64 } })),
    );
    // Five shares are those of the level that every server has.
    const dispatcher = new Dispatcher<string>({ clock, totalSeats: 10 * (5 + names.length), configuration });
    const seats = 10;
    const stop = dispatcher.startBorrowing();
    const send = (level: string, flow: string, perSecond: number, workers: number) =>
      sendUniformly((decided) => ask(dispatcher, flow, { level }, decided), clock, { ...load, perSecond, workers });
    const high = send(highLevel, 'highqps', 90, 2 * seats);
    const low = send(lowLevel, 'lowqps', 4, seats / 2);
    clock.advance(load.seconds * 1000 + 100);
    stop();
    expect(high.done / (2 * seats * 90 * load.seconds)).toBeGreaterThanOrEqual(0.9);
    expect(low.done / ((seats / 2) * 4 * load.seconds)).toBeGreaterThanOrEqual(0.9);
  });

  it('by one that asks for more than there is', () => {
    const { clock, dispatcher } = buildDispatcher({ seats: 10, queuing });
    const send = (flow: string, perSecond: number, workers: number) =>
      sendUniformly((decided) => ask(dispatcher, flow, {}, decided), clock, {
        seconds: 10,
        millisEach: 100,
        perSecond,
        workers,
      });
    const high = send('highqps', 90, 200);
    const low = send('lowqps', 4, 5);
    clock.advance(10_100);
    // Ten seats do a hundred requests in a second; one flow wants twenty of them.
    expect(low.done).toBeGreaterThanOrEqual(0.9 * 200);
    expect(high.done + low.done).toBeGreaterThanOrEqual(0.99 * 1000);
  });
});
