import { describe, expect, it } from 'vitest';
import { ask, buildDispatcher, makeConfiguration, makeTestedLevel } from './build-test-dispatcher.ts';
import { Dispatcher } from './dispatcher.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { findLevel, finishAll, queuing, states, wide } from './testdata/tested-requests.ts';

describe('a change of the configuration', () => {
  it('serves those that wait at a level that is gone, and forgets the level after them', () => {
    const { dispatcher, ask } = buildDispatcher({ seats: 1, queuing });
    const asked = [ask('a'), ask('a'), ask('b')] as const;
    dispatcher.configure(makeConfiguration([]));
    expect(findLevel(dispatcher)).toMatchObject({ isQuiescing: true, waiting: 2, executing: 1 });
    finishAll(asked);
    expect(asked.map(({ decisions }) => decisions)).toEqual([[], [undefined], [undefined]]);
    expect(findLevel(dispatcher)).toBeUndefined();
    expect(() => ask('a')).toThrow('there is no priority level tested');
  });

  it('keeps a level until the seats that its requests left behind are free, and takes it back when it returns', () => {
    const { dispatcher, clock, ask } = buildDispatcher({ seats: 2, queuing });
    const configure = (levels: 'with' | 'without') =>
      dispatcher.configure(levels === 'with' ? makeTestedLevel({ queuing }) : makeConfiguration([]));
    const write = ask('a', wide(1, 2, 50));
    configure('without');
    write.ticket.finish();
    clock.advance(49);
    expect(findLevel(dispatcher)).toMatchObject({ isQuiescing: true, seatsInUse: 2 });
    configure('with');
    expect(findLevel(dispatcher)).toMatchObject({ isQuiescing: false, dispatched: 1 });
    clock.advance(1);
    expect(findLevel(dispatcher)).toMatchObject({ seatsInUse: 0 });
    configure('without');
    expect(findLevel(dispatcher)).toBeUndefined();
  });

  it('lets those go on that wait when there are no queues any more, and refuses others', () => {
    const { dispatcher, ask } = buildDispatcher({ seats: 1, queuing });
    const [first, second, third] = [ask('a'), ask('a'), ask('a')];
    dispatcher.configure(makeTestedLevel({}));
    const late = ask('b');
    expect([late.ticket.state, late.ticket.refusal]).toEqual(['rejected', 'concurrency-limit']);
    first.ticket.finish();
    second.ticket.finish();
    expect(states([first, second, third])).toBe('ffe');
  });

  it.for<[what: string, queues: number, handSize: number]>([
    ['fewer', 1, 1],
    ['more', 256, 6],
  ])('drops nobody when there are %s queues', ([, queues, handSize]) => {
    const { dispatcher, ask } = buildDispatcher({ seats: 1, queuing });
    const asked = Array.from({ length: 30 }, (_, i) => ask(`flow ${i % 10}`));
    const waiting = asked.filter(({ ticket }) => ticket.state === 'waiting');
    expect(waiting.length).toBeGreaterThan(20);
    dispatcher.configure(makeTestedLevel({ queuing: { queues, handSize, queueLengthLimit: 50 } }));
    const late = ask('late');
    finishAll([...asked, late]);
    expect(waiting.every(({ decisions }) => decisions.length === 1 && decisions[0] === undefined)).toBe(true);
    expect(late.ticket.state).toBe('finished');
  });

  it('serves as many more as the level gets seats, and none beyond what it keeps', () => {
    const clock = new SimulatedClock();
    const levels = (shares: number) =>
      makeConfiguration([
        { name: 'tested', shares, borrowingLimitPercent: 1, queuing },
        { name: 'other', shares: 95 - shares, queuing },
      ]);
    const dispatcher = new Dispatcher<string>({ clock, totalSeats: 100, configuration: levels(2) });
    const asked = Array.from({ length: 8 }, (_, i) => ask(dispatcher, `flow ${i}`));
    expect(states(asked)).toBe('eewwwwww');
    dispatcher.configure(levels(5));
    expect(states(asked)).toBe('eeeeewww');
    dispatcher.configure(levels(1));
    for (const { ticket } of asked.slice(0, 4)) ticket.finish();
    expect(states(asked)).toBe('ffffewww');
    asked[4]?.ticket.finish();
    expect(states(asked)).toBe('fffffeww');
  });

  it('forgets what was counted of schemas that are gone', () => {
    const { dispatcher, ask } = buildDispatcher({ seats: 1, queuing });
    const { ticket } = ask('a', { schema: 'short-lived' });
    const schemas = () => [
      ...(dispatcher
        .readMetrics()
        .levels.find(({ name }) => name === 'tested')
        ?.schemas.keys() ?? []),
    ];
    dispatcher.configure(makeTestedLevel({ queuing }));
    expect(schemas()).toEqual(['short-lived']);
    ticket.finish();
    dispatcher.configure(makeTestedLevel({ queuing }));
    expect(schemas()).toEqual([]);
    expect(findLevel(dispatcher)?.dispatched).toBe(1);
  });
});

describe('borrowing', () => {
  it('gives a level what others do not want, within ten seconds, and back when they do', () => {
    const clock = new SimulatedClock();
    const configuration = makeConfiguration([
      { name: 'busy', shares: 10, queuing: { ...queuing, queueLengthLimit: 100 } },
      { name: 'quiet', shares: 35, lendablePercent: 80, queuing },
    ]);
    const dispatcher = new Dispatcher<string>({ clock, totalSeats: 50, configuration });
    const seats = (name: string): number => findLevel(dispatcher, name)?.currentSeats ?? 0;
    const stop = dispatcher.startBorrowing();
    const asked = Array.from({ length: 60 }, (_, i) => ask(dispatcher, `flow ${i}`, { level: 'busy' }));
    const before = states(asked).lastIndexOf('e') + 1;
    clock.advance(10_000);
    const after = states(asked).lastIndexOf('e') + 1;
    expect([before, after]).toEqual([seats('busy') - (after - before), seats('busy')]);
    expect(after).toBeGreaterThan(30);
    expect(seats('busy') + seats('quiet') + seats('catch-all')).toBeLessThanOrEqual(51);
    const wanted = Array.from({ length: 35 }, (_, i) => ask(dispatcher, `flow ${i}`, { level: 'quiet' }));
    clock.advance(10_000);
    expect(seats('quiet')).toBe(35);
    expect(states(wanted)).toBe('e'.repeat(35));
    // Nobody who is served already is stopped for it.
    expect(states(asked).lastIndexOf('e') + 1).toBe(after);
    stop();
    clock.finish();
  });
});

describe('a level that has lent all of its seats', () => {
  it('gets some back at once when someone waits there', () => {
    const clock = new SimulatedClock();
    const configuration = makeConfiguration([
      { name: 'generous', shares: 10, lendablePercent: 100, queuing },
      { name: 'busy', shares: 10, queuing: { ...queuing, queueLengthLimit: 100 } },
    ]);
    const dispatcher = new Dispatcher<string>({ clock, totalSeats: 25, configuration });
    const stop = dispatcher.startBorrowing();
    const others = Array.from({ length: 100 }, (_, i) => ask(dispatcher, `flow ${i}`, { level: 'busy' }));
    clock.advance(10_000);
    expect(findLevel(dispatcher, 'generous')?.currentSeats).toBe(0);
    const { ticket } = ask(dispatcher, 'a', { level: 'generous' });
    expect(ticket.state).toBe('waiting');
    clock.advance(100);
    expect(ticket.state).toBe('executing');
    expect(states(others).lastIndexOf('e')).toBe(19);
    stop();
  });

  it('keeps those waiting for whom it is to have none', () => {
    const clock = new SimulatedClock();
    const configuration = makeConfiguration([{ name: 'jail', shares: 0, borrowingLimitPercent: 1, queuing }]);
    const dispatcher = new Dispatcher<string>({ clock, totalSeats: 10, configuration });
    const stop = dispatcher.startBorrowing();
    const { ticket, decisions } = ask(dispatcher, 'a', { level: 'jail', waitMillis: 15_000 });
    clock.advance(14_000);
    expect(ticket.state).toBe('waiting');
    clock.advance(1010);
    expect(decisions).toEqual(['time-out']);
    stop();
  });
});
