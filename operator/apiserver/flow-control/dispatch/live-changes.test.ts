import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ask, makeConfiguration, type Asked, type TestLevel } from './build-test-dispatcher.ts';
import { Dispatcher } from './dispatcher.ts';
import { SimulatedClock } from './simulated-clock.ts';

const isSoak = process.env['BAILIWICK_SOAK'] !== undefined;
const numRuns = isSoak ? 2000 : 60;
const timeout = isSoak ? 1_800_000 : 60_000;
const names = ['a', 'b', 'c'];

const levels: fc.Arbitrary<TestLevel[]> = fc
  .subarray(names)
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((name) =>
        fc.record({
          name: fc.constant(name),
          shares: fc.integer({ min: 1, max: 50 }),
          lendablePercent: fc.integer({ min: 0, max: 100 }),
          queuing: fc.record({
            queues: fc.integer({ min: 2, max: 20 }),
            handSize: fc.integer({ min: 1, max: 2 }),
            queueLengthLimit: fc.integer({ min: 1, max: 20 }),
          }),
          isRejecting: fc.boolean(),
        }),
      ),
    ),
  )
  .map((drawn) => drawn.map(({ isRejecting, queuing, ...level }) => (isRejecting ? level : { ...level, queuing })));

const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ start: fc.nat(2), flow: fc.nat(5), seats: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 4, arbitrary: fc.record({ finish: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ cancel: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ advanceMillis: fc.integer({ min: 1, max: 4000 }) }) },
    { weight: 1, arbitrary: fc.record({ configure: levels }) },
  ),
  { maxLength: 200, size: 'max' },
);

// A request waits until it is served, has waited as long as it may, or is cancelled, whatever becomes of its level meanwhile.
it('drops and starves no request that waits, while levels come, change and go', { timeout }, () => {
  const seen = { started: 0, waited: 0, changes: 0, drained: 0 };
  fc.assert(
    fc.property(levels, steps, (first, run) => {
      const clock = new SimulatedClock();
      const dispatcher = new Dispatcher<string>({ clock, totalSeats: 20, configuration: makeConfiguration(first) });
      const stop = dispatcher.startBorrowing();
      let present = first;
      const asked: (Asked & { readonly untilMillis: number; isCancelled?: boolean })[] = [];
      const among = (state: string, choice: number) => {
        const found = asked.filter(({ ticket }) => ticket.state === state);
        return found[choice % Math.max(1, found.length)];
      };
      const check = (): void => {
        const nowMillis = clock.nowNanos() / 1e6;
        for (const { ticket, decisions, untilMillis, isCancelled } of asked) {
          if (ticket.state === 'waiting') {
            expect(decisions).toEqual([]);
            expect(nowMillis).toBeLessThanOrEqual(untilMillis + 10);
          } else if (ticket.refusal === 'time-out') expect(nowMillis).toBeGreaterThanOrEqual(untilMillis);
          else if (isCancelled === true) expect(decisions).toEqual([]);
          expect(decisions.length).toBeLessThanOrEqual(1);
        }
        for (const level of dispatcher.dump()) {
          const isWanted =
            level.name === 'exempt' || level.name === 'catch-all' || present.some(({ name }) => name === level.name);
          expect(level.isQuiescing).toBe(!isWanted);
          if (!isWanted) expect(level.isIdle && level.seatsInUse === 0).toBe(false);
          const waiting = asked.filter(
            ({ ticket }) => ticket.state === 'waiting' && ticket.request.level === level.name,
          );
          expect(level.waiting).toBe(waiting.length);
        }
      };
      for (const step of run) {
        if ('start' in step) {
          const name = present[step.start % Math.max(1, present.length)]?.name ?? 'catch-all';
          const width = { initialSeats: step.seats, finalSeats: 0, additionalLatencyMillis: 0 };
          const waitMillis = 15_000;
          const one = ask(dispatcher, `flow ${step.flow}`, { level: name, width, waitMillis });
          asked.push({ ...one, untilMillis: clock.nowNanos() / 1e6 + waitMillis });
          seen.started += 1;
          if (one.ticket.state === 'waiting') seen.waited += 1;
        } else if ('finish' in step) among('executing', step.finish)?.ticket.finish();
        else if ('cancel' in step) {
          const gone = among('waiting', step.cancel);
          if (gone !== undefined) {
            gone.isCancelled = true;
            gone.ticket.finish();
          }
        } else if ('advanceMillis' in step) clock.advance(step.advanceMillis);
        else {
          present = step.configure;
          dispatcher.configure(makeConfiguration(present));
          seen.changes += 1;
          seen.drained += dispatcher.dump().filter(({ isQuiescing }) => isQuiescing).length;
        }
        check();
      }
      // When everything ends that is served, all that wait are served, by what a level gets back that has lent all its seats.
      const finishAll = (): void => {
        for (let turn = 0; turn <= asked.length; turn += 1) {
          for (const { ticket } of asked) if (ticket.state === 'executing') ticket.finish();
        }
      };
      finishAll();
      clock.advance(100);
      finishAll();
      present = [];
      dispatcher.configure(makeConfiguration([]));
      expect(asked.filter(({ ticket }) => ticket.state === 'waiting' || ticket.state === 'executing')).toEqual([]);
      expect(dispatcher.dump().map(({ name }) => name)).toEqual(['catch-all', 'exempt']);
      expect(dispatcher.deadlineTimerCount).toBe(0);
      stop();
    }),
    { numRuns },
  );
  console.log(
    `${seen.started} requests, ${seen.waited} waited; ${seen.changes} changes, ${seen.drained} levels still to drain after one`,
  );
  expect(Math.min(seen.waited, seen.drained)).toBeGreaterThan(0);
});
