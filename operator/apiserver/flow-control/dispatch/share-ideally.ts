/** One request in the ideal world. */
export interface IdealRequest {
  readonly atNanos: number;
  readonly queue: number;
  readonly seats: number;
  readonly durationNanos: number;
}

interface IdealQueue {
  readonly waiting: number[];
  /** Of the first request; seat-nanoseconds. */
  workLeft: number;
}

/**
 * When each request would be done if seats could be divided at will: at every moment all queues that have requests get the same part of the
 * seats that are wanted, of at most `seats`, and each spends it on its first request. This is generalized processor sharing, which fair
 * queuing approximates. Requests must be in the order of their times.
 */
export function shareIdeally(seats: number, requests: readonly IdealRequest[]): number[] {
  const done = requests.map(() => 0);
  const queues = new Map<number, IdealQueue>();
  let wanted = 0;
  let now = 0;
  const measure = (position: number | undefined): number => {
    const request = position === undefined ? undefined : requests[position];
    return request === undefined ? 0 : request.seats * request.durationNanos;
  };
  const runUntil = (until: number): void => {
    while (queues.size > 0) {
      const rate = Math.min(seats, wanted) / queues.size;
      const least = Math.min(...[...queues.values()].map(({ workLeft }) => workLeft));
      const step = Math.min(least / rate, until - now);
      now += step;
      for (const [index, queue] of queues) {
        queue.workLeft -= rate * step;
        // What is left of a nanosecond is of the arithmetic.
        if (queue.workLeft > 1e-3) continue;
        const first = queue.waiting.shift() ?? 0;
        done[first] = now;
        wanted -= requests[first]?.seats ?? 0;
        queue.workLeft = measure(queue.waiting[0]);
        if (queue.waiting.length === 0) queues.delete(index);
      }
      if (now >= until) return;
    }
    now = until;
  };
  for (const [position, { atNanos, queue: index, seats: width }] of requests.entries()) {
    runUntil(atNanos);
    const queue = queues.get(index) ?? { waiting: [], workLeft: measure(position) };
    queue.waiting.push(position);
    queues.set(index, queue);
    wanted += width;
  }
  runUntil(Infinity);
  return done;
}
