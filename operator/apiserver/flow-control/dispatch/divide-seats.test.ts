import { describe, expect, it, vi } from 'vitest';
import { ask, makeConfiguration, type TestLevel } from './build-test-dispatcher.ts';
import { Dispatcher } from './dispatcher.ts';
import { SimulatedClock } from './simulated-clock.ts';

const queuing = { queues: 8, handSize: 2, queueLengthLimit: 50 };
const stretchMillis = 100;
const levels: readonly TestLevel[] = [
  { name: 'busy', queuing, lendablePercent: 50 },
  { name: 'other', queuing, lendablePercent: 50 },
  { name: 'jail', shares: 0, borrowingLimitPercent: 10, queuing },
];

/** The demand and seats of `busy` each ten seconds after a burst there. */
function watchBurst(disturb: (dispatcher: Dispatcher<string>) => void): unknown[] {
  const clock = new SimulatedClock();
  const dispatcher = new Dispatcher<string>({ clock, totalSeats: 100, configuration: makeConfiguration(levels) });
  dispatcher.startBorrowing();
  const runSeconds = (seconds: number): void => {
    for (let millis = 0; millis < seconds * 1000; millis += stretchMillis) {
      disturb(dispatcher);
      clock.advance(stretchMillis);
    }
  };
  const burst = Array.from({ length: 40 }, () => ask(dispatcher, '', { level: 'busy' }));
  runSeconds(20);
  for (const { ticket } of burst) ticket.finish();
  return Array.from({ length: 4 }, () => {
    runSeconds(10);
    const level = dispatcher.readMetrics().levels.find(({ name }) => name === 'busy');
    const { highWatermark = 0, smoothed = 0 } = level?.demand ?? {};
    return { highWatermark, smoothed: smoothed.toFixed(6), seats: level?.currentSeats };
  });
}

describe('the demand of a level', () => {
  it('is measured every ten seconds, whoever waits at a level that never has seats', () => {
    const alone = watchBurst(() => undefined);
    expect(watchBurst((dispatcher) => void ask(dispatcher, '', { level: 'jail', waitMillis: 15_000 }))).toEqual(alone);
  });

  it('is measured every ten seconds, however often objects change', () => {
    const alone = watchBurst(() => undefined);
    expect(watchBurst((dispatcher) => dispatcher.configure(makeConfiguration(levels)))).toEqual(alone);
  });
});

describe('levels that are given up', () => {
  it('give the others their seats back together when they drain together', () => {
    const clock = new SimulatedClock();
    const gone = Array.from({ length: 50 }, (_, i): TestLevel => ({ name: `gone-${i}`, queuing }));
    const stays: TestLevel = { name: 'stays', queuing };
    const configuration = makeConfiguration([stays, ...gone]);
    const dispatcher = new Dispatcher<string>({ clock, totalSeats: 510, configuration });
    const asked = gone.map(({ name }) => ask(dispatcher, '', { level: name }));
    dispatcher.configure(makeConfiguration([stays]));
    expect(dispatcher.dump()).toHaveLength(53);
    const schedule = vi.spyOn(clock, 'schedule');
    for (const { ticket } of asked) ticket.finish();
    expect(dispatcher.dump().map(({ name }) => name)).toEqual(['catch-all', 'exempt', 'stays']);
    expect(schedule).toHaveBeenCalledTimes(1);
    const findSeats = () => dispatcher.dump().find(({ name }) => name === 'stays')?.currentSeats;
    const before = findSeats();
    clock.advance(100);
    expect(before).toBeLessThan(20);
    expect(findSeats()).toBeGreaterThan(400);
  });
});
