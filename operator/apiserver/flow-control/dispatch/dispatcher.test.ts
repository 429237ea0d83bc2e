import { describe, expect, it } from 'vitest';
import { ask, buildDispatcher } from './build-test-dispatcher.ts';
import { findLevel, finishAll, queuing, states, wide } from './testdata/tested-requests.ts';

describe('a level with queues', () => {
  it('serves while seats are free, and lets others follow when a request is over', () => {
    const { dispatcher, ask } = buildDispatcher({ seats: 2, queuing });
    const asked = [ask('a'), ask('a'), ask('a')] as const;
    expect(states(asked)).toBe('eew');
    expect(asked[2].decisions).toEqual([]);
    asked[0].ticket.finish();
    expect([asked[2].ticket.state, asked[2].decisions]).toEqual(['executing', [undefined]]);
    expect(findLevel(dispatcher)).toMatchObject({ executing: 2, waiting: 0, dispatched: 3 });
  });

  it('refuses what finds its queues full, and what has waited as long as it may', () => {
    const { dispatcher, clock, ask } = buildDispatcher({ seats: 1, queuing });
    const asked = Array.from({ length: 10 }, () => ask('a', { waitMillis: 15_000 }));
    expect(states(asked)).toBe('ewwwwwwwwr');
    expect(asked[9]?.ticket.refusal).toBe('queue-full');
    expect(asked[9]?.decisions).toEqual([]);
    clock.advance(14_999);
    expect(findLevel(dispatcher)?.waiting).toBe(8);
    clock.advance(10);
    expect(findLevel(dispatcher)).toMatchObject({ waiting: 0, executing: 1, timedOut: 8, cancelled: 0, rejected: 9 });
    expect(asked[1]?.decisions).toEqual(['time-out']);
    expect(dispatcher.deadlineTimerCount).toBe(0);
  });

  it('forgets a request whose client went, and tells it nothing', () => {
    const { dispatcher, ask } = buildDispatcher({ seats: 1, queuing });
    const [first, gone, next] = [ask('a'), ask('a'), ask('a')];
    gone.ticket.finish();
    gone.ticket.finish();
    expect(findLevel(dispatcher)).toMatchObject({ waiting: 1, cancelled: 1, seatsWaiting: 1 });
    first.ticket.finish();
    first.ticket.finish();
    expect([gone.decisions, next.decisions]).toEqual([[], [undefined]]);
    next.ticket.finish();
    expect(findLevel(dispatcher)).toMatchObject({ isIdle: true, seatsInUse: 0, dispatched: 2 });
    expect(dispatcher.deadlineTimerCount).toBe(0);
  });

  it('takes one flow after the other, and not one whole flow first', () => {
    const { ask } = buildDispatcher({ seats: 1, queuing });
    const asked = ['first', 'a', 'a', 'a', 'b', 'c'].map((flow) => ({ flow, ...ask(flow) }));
    expect(finishAll(asked).map(({ flow }) => flow)).toEqual(['first', 'a', 'b', 'c', 'a', 'a']);
  });

  it('takes all in turn when it has one queue', () => {
    const { ask } = buildDispatcher({ seats: 1, queuing: { queues: 1, handSize: 1, queueLengthLimit: 10 } });
    const asked = ['first', 'a', 'a', 'b', 'a'].map((flow) => ({ flow, ...ask(flow) }));
    expect(finishAll(asked)).toEqual(asked);
    expect(asked.map(({ flow }) => flow)).toEqual(['first', 'a', 'a', 'b', 'a']);
  });

  it('keeps seats free for a wide request whose turn it is, and lets others go when it goes away', () => {
    const { clock, ask } = buildDispatcher({ seats: 3, queuing });
    const first = ask('a', wide(2));
    const broad = ask('b', wide(3));
    clock.advance(20);
    const narrow = ask('c');
    expect(states([first, broad, narrow])).toBe('eww');
    broad.ticket.finish();
    expect(narrow.decisions).toEqual([undefined]);
  });

  it('serves a request that is wider than the level alone', () => {
    const { dispatcher, clock, ask } = buildDispatcher({ seats: 3, queuing });
    const [first, broad] = [ask('a'), ask('b', wide(5))];
    clock.advance(20);
    const narrow = ask('c');
    expect(states([first, broad, narrow])).toBe('eww');
    first.ticket.finish();
    expect(states([broad, narrow])).toBe('ew');
    expect(findLevel(dispatcher)?.seatsInUse).toBe(5);
    broad.ticket.finish();
    expect(states([broad, narrow])).toBe('fe');
  });

  it('keeps the seats of a request for the work that it leaves behind', () => {
    const { dispatcher, clock, ask } = buildDispatcher({ seats: 3, queuing });
    const [write, read] = [ask('a', wide(1, 3, 50)), ask('b')];
    write.ticket.finish();
    expect(findLevel(dispatcher)).toMatchObject({ executing: 0, isIdle: false, seatsInUse: 3 });
    clock.advance(49);
    expect(read.ticket.state).toBe('waiting');
    clock.advance(1);
    expect(read.ticket.state).toBe('executing');
  });

  it('does the work that a request leaves behind on the seats that there are, in a longer time', () => {
    const { dispatcher, clock, ask } = buildDispatcher({ seats: 2, queuing });
    const write = ask('a', wide(1, 8, 50));
    expect(write.ticket).toMatchObject({ finalSeats: 2, additionalLatencyMillis: 200 });
    write.ticket.finish();
    clock.advance(199);
    expect(findLevel(dispatcher)?.seatsInUse).toBe(2);
    clock.advance(1);
    expect(findLevel(dispatcher)).toMatchObject({ seatsInUse: 0, seatsWaiting: 0 });
  });

  it('tells thousands that end at once one after the other', () => {
    const { dispatcher } = buildDispatcher({ seats: 1, queuing: { queues: 1, handSize: 1, queueLengthLimit: 50_000 } });
    let served = 0;
    const first = ask(dispatcher, 'a');
    for (let i = 0; i < 20_000; i += 1) {
      const { ticket } = ask(dispatcher, 'a', {}, () => {
        served += 1;
        ticket.finish();
      });
    }
    first.ticket.finish();
    expect(served).toBe(20_000);
    expect(findLevel(dispatcher)).toMatchObject({ isIdle: true });
  });

  it('tells all, also when one of them throws', () => {
    const { dispatcher } = buildDispatcher({ seats: 2, queuing });
    const broad = ask(dispatcher, 'a', wide(2));
    ask(dispatcher, 'b', {}, () => {
      throw new Error('it broke');
    });
    const other = ask(dispatcher, 'c');
    expect(() => broad.ticket.finish()).toThrow('it broke');
    expect(other.decisions).toEqual([undefined]);
  });

  it('goes on when its progress is wound back', () => {
    const { dispatcher, clock, ask } = buildDispatcher({ seats: 600, queuing: { ...queuing, queueLengthLimit: 1000 } });
    const running = Array.from({ length: 600 }, () => ask('a'));
    const waiting = ['a', 'b', 'a', 'c'].map((flow) => ask(flow));
    clock.advance(80 * 3_600_000);
    const late = ask('d');
    const [level] = dispatcher.readMetrics().levels.filter(({ name }) => name === 'tested');
    expect(level?.epochs).toBeGreaterThan(0);
    for (const { ticket } of running.slice(0, 4)) ticket.finish();
    expect(states([...waiting, late]).replaceAll('w', '')).toBe('eeee');
    expect(states(waiting)).toMatch(/.e.e/);
    for (const { ticket } of [...running, ...waiting, late]) ticket.finish();
    expect(findLevel(dispatcher)).toMatchObject({ isIdle: true, seatsInUse: 0 });
  });
});

describe('a level without queues', () => {
  it('refuses what finds no seat', () => {
    const { dispatcher, ask } = buildDispatcher({ seats: 2 });
    const asked = [ask('a'), ask('b'), ask('c')] as const;
    expect(states(asked)).toBe('eer');
    expect(asked[2].ticket.refusal).toBe('concurrency-limit');
    asked[0].ticket.finish();
    expect(ask('c').ticket.state).toBe('executing');
    expect(findLevel(dispatcher)).toMatchObject({ rejected: 1, executing: 2, queues: [] });
    expect(findLevel(dispatcher)?.unqueued).toHaveLength(2);
  });
});

describe('the exempt level', () => {
  it('lets all in, and counts them', () => {
    const { dispatcher, ask } = buildDispatcher({ seats: 1, queuing });
    const asked = Array.from({ length: 100 }, () => ask('a', { level: 'exempt', ...wide(2) }));
    expect(states(asked)).toBe('e'.repeat(100));
    expect(findLevel(dispatcher, 'exempt')).toMatchObject({ isExempt: true, executing: 100, seatsInUse: 200 });
    for (const { ticket } of asked) ticket.finish();
    expect(findLevel(dispatcher, 'exempt')).toMatchObject({ executing: 0, seatsInUse: 0, dispatched: 100 });
  });
});

describe('what is counted', () => {
  it('tells how many waited how long, executed how long and were refused, by schema', () => {
    const { dispatcher, clock, ask } = buildDispatcher({
      seats: 1,
      queuing: { ...queuing, queues: 1, handSize: 1, queueLengthLimit: 2 },
    });
    const [first, second] = [ask('a'), ask('a', { type: 'watch' })];
    ask('a', { waitMillis: 40 });
    ask('a');
    clock.advance(30);
    first.ticket.finish();
    clock.advance(70);
    second.ticket.finish();
    const metrics = dispatcher.readMetrics().levels.find(({ name }) => name === 'tested');
    const counters = metrics?.schemas.get('tested');
    expect(counters).toMatchObject({
      ...{ dispatched: 2, requestsWaiting: 0, seatsWaiting: 0, requestsExecuting: 0, seatsExecuting: 0 },
      refused: { 'queue-full': 1, 'time-out': 1, 'concurrency-limit': 0, cancelled: 0 },
    });
    expect(counters?.servedWaits.sum).toBeCloseTo(0.03, 9);
    expect(counters?.refusedWaits.sum).toBeCloseTo(0.04, 9);
    expect(counters?.executions.regular.sum).toBeCloseTo(0.03, 9);
    expect(counters?.executions.watch.sum).toBeCloseTo(0.07, 9);
    expect(counters?.queueLengths.counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(counters?.estimatedSeats.sum).toBe(4);
    // A tenth of a second with its one seat in use, in nanoseconds.
    expect(metrics?.use.seatUtilization.sum).toBe(100e6);
    expect(metrics?.use.executingUtilization.sum).toBe(100e6);
    expect(metrics).toMatchObject({ currentSeats: 1, dispatchProgress: expect.any(Number), limits: { nominal: 1 } });
  });

  it('shows who waits and who has the seats, by queue', () => {
    const { dispatcher, ask } = buildDispatcher({ seats: 1, queuing });
    const [first, second] = [ask('a'), ask('a')];
    const level = findLevel(dispatcher);
    const hand = dispatcher.findHand('tested', 'tested', 'a');
    const [queueOfFirst, queueOfSecond] = [first, second].map(({ ticket }) =>
      level?.queues.find(({ waiting, executing }) => [...waiting, ...executing].includes(ticket)),
    );
    expect(hand).toContain(queueOfFirst?.index);
    expect(hand).toContain(queueOfSecond?.index);
    expect(queueOfFirst).toMatchObject({ executing: [first.ticket], seatsInUse: 1 });
    expect(queueOfSecond).toMatchObject({
      waiting: [second.ticket],
      workWaiting: '0.00300000ss',
      seatsWaiting: 1,
      initialSeatsWaiting: 1,
    });
    expect([level?.queues.length, level?.activeQueues]).toEqual([64, 1]);
    expect(dispatcher.findHand('catch-all', 'tested', 'a')).toBeUndefined();
    expect([dispatcher.findMaxSeats('tested'), dispatcher.findMaxSeats('catch-all')]).toEqual([1, undefined]);
  });
});
