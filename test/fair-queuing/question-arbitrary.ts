import fc from 'fast-check';
import { hashFlow } from '../../operator/apiserver/flow-control/hash-flow.ts';
import type { QueuedArrival, QueuingQuestion } from '../oracle/start-queuing-oracle.ts';

/** How wide requests are, and whether there are queues at all. */
export type QueuingKind = 'narrow' | 'wide' | 'without queues';

const nanosPerMilli = 1_000_000;

function arrivalArbitrary(
  kind: QueuingKind,
  seats: number,
): fc.Arbitrary<Omit<QueuedArrival, 'atNanos'> & { gapNanos: number }> {
  const isNarrow = kind === 'narrow';
  const finals = isNarrow
    ? fc.constant({ finalSeats: 0, latencyNanos: 0 })
    : fc.oneof(
        fc.constant({ finalSeats: 0, latencyNanos: 0 }),
        fc.record({
          finalSeats: fc.integer({ min: 1, max: seats }),
          latencyNanos: fc.integer({ min: 1, max: 50 * nanosPerMilli }),
        }),
      );
  return fc
    .record({
      // Of the same time nobody says which is first: times have odd digits.
      gapNanos: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 20 * nanosPerMilli })),
      flow: fc.integer({ min: 0, max: 7 }).map(String),
      // A request wider than the level goes alone.
      initialSeats: isNarrow ? fc.constant(1) : fc.integer({ min: 1, max: seats + 2 }),
      finals,
      durationNanos: fc.integer({ min: 1, max: 60 * nanosPerMilli }),
      // What leaves the queue in Kubernetes lets nobody go whom it kept from going: only those are cancelled that keep nobody.
      patienceNanos: isNarrow
        ? fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100 * nanosPerMilli }))
        : fc.constant(0),
    })
    .map(({ finals: { finalSeats, latencyNanos }, ...rest }) => ({
      ...rest,
      finalSeats,
      latencyNanos,
      hash: String(hashFlow('schema', rest.flow)),
    }));
}

/** Runs of requests that come at random, faster than there are seats for at times. */
export function questionArbitrary(kind: QueuingKind): fc.Arbitrary<QueuingQuestion> {
  const level = fc.record({
    queues:
      kind === 'without queues' ? fc.constant(0) : fc.oneof(fc.integer({ min: 1, max: 16 }), fc.constantFrom(64, 128)),
    hand: fc.integer({ min: 1, max: 8 }),
    // A queue in Kubernetes takes more than its limit while seats are kept for a wide request.
    queueLengthLimit: kind === 'narrow' ? fc.integer({ min: 1, max: 12 }) : fc.constant(1_000_000),
    seats: fc.integer({ min: 1, max: 6 }),
  });
  return level.chain(({ queues, hand, queueLengthLimit, seats }) =>
    fc.array(arrivalArbitrary(kind, seats), { minLength: 1, maxLength: 120, size: 'max' }).map((arrivals) => {
      let atNanos = 0;
      const requests = arrivals.map(({ gapNanos, ...request }) => {
        atNanos += gapNanos;
        return { ...request, atNanos };
      });
      return { queues, handSize: Math.max(1, Math.min(hand, queues)), queueLengthLimit, seats, requests };
    }),
  );
}
