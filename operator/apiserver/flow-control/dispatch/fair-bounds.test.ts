import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fairRules, kubernetesRules, type QueuingRules } from './queuing-rules.ts';
import { simulateRequests, type SimulatedRequest } from './simulate-requests.ts';

const isSoak = process.env['BAILIWICK_SOAK'] !== undefined;
const numRuns = isSoak ? 3000 : 300;
const timeout = isSoak ? 1_800_000 : 60_000;
const millis = 1e6;
const guessedNanos = 3 * millis;

function makeRequest(
  request: Partial<SimulatedRequest> & Pick<SimulatedRequest, 'atNanos' | 'flow'>,
): SimulatedRequest {
  return {
    ...{ initialSeats: 1, finalSeats: 0, latencyNanos: 0, durationNanos: 20 * millis, patienceNanos: 0 },
    ...request,
  };
}

/** When each request would begin at the latest if its flow had a server of its own, of the part of the seats that is surely its. */
function expectArrivals(seats: number, requests: readonly SimulatedRequest[]): number[] {
  const flows = new Set(requests.map(({ flow }) => flow)).size;
  const ends = new Map<string, number>();
  return requests.map(({ flow, atNanos, durationNanos }) => {
    const expected = Math.max(atNanos, ends.get(flow) ?? 0);
    ends.set(flow, expected + (durationNanos * flows) / seats);
    return expected;
  });
}

/**
 * How much later than that a request of a flow may begin, whatever the others do: the latency of fair queuing that serves many at once
 * without knowing how long each takes. Of each flow one request that runs may be as long as any, one may be thought longer than it is,
 * and its lead may be made up for.
 */
function boundLatency(requests: readonly SimulatedRequest[], { maxLeadNanos }: QueuingRules): number {
  const flows = new Set(requests.map(({ flow }) => flow)).size;
  const longest = Math.max(...requests.map(({ durationNanos }) => durationNanos));
  return flows * (longest + guessedNanos + maxLeadNanos);
}

/** The lateness of the worst request, of what it may be. */
function measureWorst(
  seats: number,
  requests: readonly SimulatedRequest[],
  queuing = { queues: 64, handSize: 8, queueLengthLimit: 1e6 },
  rules: QueuingRules = fairRules,
): number {
  const { startedNanos } = simulateRequests({ queuing, seatLimit: seats }, requests, { rules });
  const expected = expectArrivals(seats, requests);
  const bound = boundLatency(requests, rules);
  return Math.max(...startedNanos.map((started, i) => (started - (expected[i] ?? 0)) / bound));
}

const arrivals = fc.array(
  fc.record({
    gap: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 8 * millis })),
    // Some flows come far more often than others.
    flow: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 9 })),
    durationNanos: fc.oneof(
      fc.integer({ min: 1, max: millis }),
      fc.integer({ min: 1, max: 20 * millis }),
      fc.constant(20 * millis),
    ),
  }),
  { minLength: 50, maxLength: 400, size: 'max' },
);

function place(drawn: readonly { gap: number; flow: number; durationNanos: number }[]): SimulatedRequest[] {
  let atNanos = 0;
  return drawn.map(({ gap, flow, durationNanos }) => {
    atNanos += gap;
    return makeRequest({ atNanos, flow: String(flow), durationNanos });
  });
}

describe('fair queuing', () => {
  it.for<[what: string, rules: QueuingRules]>([
    ['as it is', fairRules],
    ['when nothing is held against anybody', { ...fairRules, maxLeadNanos: 0 }],
  ])('lets no flow wait longer than its bound, whatever the others do: %s', { timeout }, ([, rules]) => {
    let worst = 0;
    const queuing = { queues: 64, handSize: 8, queueLengthLimit: 1e6 };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), arrivals, (seats, drawn) => {
        const lateness = measureWorst(seats, place(drawn), queuing, rules);
        worst = Math.max(worst, lateness);
        expect(lateness).toBeLessThanOrEqual(1);
      }),
      { numRuns },
    );
    console.log(`the worst request was late by ${(100 * worst).toFixed(0)} % of its bound`);
  });

  it('would break that bound with one queue for all', () => {
    const flood = Array.from({ length: 4000 }, (_, i) => makeRequest({ atNanos: i + 1, flow: 'elephant' }));
    const mouse = makeRequest({ atNanos: 5000, flow: 'mouse' });
    const oneQueue = { queues: 1, handSize: 1, queueLengthLimit: 1e6 };
    expect(measureWorst(10, [...flood, mouse], oneQueue)).toBeGreaterThan(10);
    expect(measureWorst(10, [...flood, mouse])).toBeLessThan(0.2);
  });

  it('does not let those starve who used for minutes what nobody else wanted', () => {
    // Four seats of five go to one flow and one to another that never wants more; then a third comes that wants all.
    const minutes = 1;
    const step = 20 * millis;
    const requests: SimulatedRequest[] = [];
    for (let turn = 0; turn < (minutes * 60_000) / 20; turn += 1) {
      requests.push(makeRequest({ atNanos: turn * step + 1, flow: 'steady' }));
      for (let i = 0; i < 5; i += 1)
        requests.push(makeRequest({ atNanos: turn * step + 2 + i, flow: 'greedy', patienceNanos: step }));
    }
    const fromNanos = minutes * 60_000 * millis;
    const afterTurns = 1000;
    const untilNanos = fromNanos + afterTurns * step;
    for (let turn = 0; turn < afterTurns; turn += 1) {
      for (let i = 0; i < 5; i += 1) {
        requests.push(makeRequest({ atNanos: fromNanos + turn * step + i, flow: 'newcomer' }));
        requests.push(
          makeRequest({ atNanos: fromNanos + turn * step + 5 + i, flow: 'greedy', patienceNanos: 15_000 * millis }),
        );
      }
    }
    const pauseOf = (rules: QueuingRules): number => {
      const queuing = { queues: 64, handSize: 1, queueLengthLimit: 1e6 };
      const { startedNanos, order } = simulateRequests({ queuing, seatLimit: 5 }, requests, { rules });
      let last = fromNanos;
      let longest = 0;
      for (const position of order) {
        const started = startedNanos[position] ?? 0;
        if (requests[position]?.flow !== 'greedy' || started < fromNanos || started > untilNanos) continue;
        longest = Math.max(longest, started - last);
        last = started;
      }
      return Math.max(longest, untilNanos - last) / 1e9;
    };
    const [ours, theirs] = [pauseOf(fairRules), pauseOf(kubernetesRules)];
    console.log(`a flow got nothing for ${ours.toFixed(2)} s, by the rules of Kubernetes for ${theirs.toFixed(2)} s`);
    expect(ours).toBeLessThan(0.5);
    expect(theirs).toBeGreaterThan(5);
  });

  it('never gives out more seats than there are, but to one request that is wider than the level', { timeout }, () => {
    const widths = fc.array(
      fc.record({
        gap: fc.integer({ min: 1, max: 10 * millis }),
        flow: fc.integer({ min: 0, max: 5 }),
        initialSeats: fc.integer({ min: 1, max: 8 }),
        finalSeats: fc.integer({ min: 0, max: 12 }),
        latencyNanos: fc.integer({ min: 0, max: 20 * millis }),
        durationNanos: fc.integer({ min: 1, max: 30 * millis }),
        patienceNanos: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 * millis })),
      }),
      { minLength: 1, maxLength: 150, size: 'max' },
    );
    const limits = fc.record({
      seats: fc.integer({ min: 1, max: 8 }),
      queueLengthLimit: fc.integer({ min: 1, max: 8 }),
      hasQueues: fc.boolean(),
    });
    fc.assert(
      fc.property(limits, widths, ({ seats, queueLengthLimit, hasQueues }, drawn) => {
        let atNanos = 0;
        const requests = drawn.map(({ gap, flow, ...request }) => {
          atNanos += gap;
          return makeRequest({ ...request, atNanos, flow: String(flow) });
        });
        const queuing = hasQueues ? { queues: 8, handSize: 2, queueLengthLimit } : undefined;
        const { level } = simulateRequests({ queuing, seatLimit: seats }, requests, {
          observe: ({ seatsInUse, executing, sharded }) => {
            if (executing > 1 && seatsInUse > seats) expect.fail(`${seatsInUse} seats are in use, of ${seats}`);
            for (const { length } of sharded.queues.values()) {
              if (length > queueLengthLimit) expect.fail(`${length} wait where ${queueLengthLimit} may`);
            }
          },
        });
        const { waiting, executing, seatsInUse, seatsWaiting, isDrained } = level;
        expect({ waiting, executing, seatsInUse, seatsWaiting, isDrained }).toEqual({
          ...{ waiting: 0, executing: 0, seatsInUse: 0, seatsWaiting: 0, isDrained: true },
        });
        expect([...level.shares.listActive(), ...level.shares.listWaiting()]).toEqual([]);
      }),
      { numRuns },
    );
  });
});
