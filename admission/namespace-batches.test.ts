import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { ManualClock } from '../platform/process/manual-clock.ts';
import { NamespaceBatches } from './namespace-batches.ts';

/** Batches whose decisions are made when the test says so. */
function startBatches(maxBatch = 3) {
  const clock = new ManualClock();
  const seen: string[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const batches = new NamespaceBatches<string, string>({
    ...{ clock, maxBatch, late: 'late' },
    async decide(namespace, batch) {
      seen.push(`${namespace}: ${batch.map(({ request }) => request).join()}`);
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return batch.map(({ request, isAbandoned }) => `${request}${isAbandoned() ? ' for nobody' : ''}`);
    },
  });
  /** Lets the decision that was begun `index`-th end. */
  const settle = async (index: number, error?: Error): Promise<void> => {
    if (error === undefined) gates[index]?.resolve();
    else gates[index]?.reject(error);
    await nextTurn();
  };
  return { clock, seen, batches, settle };
}

describe('NamespaceBatches', () => {
  it('decides together what waits for one namespace, in order, and namespaces apart', async () => {
    const { seen, batches, settle } = startBatches();
    const answers = ['1', '2', '3', '4', '5'].map((request) => batches.ask('a', request));
    const other = batches.ask('b', '6');
    expect(seen).toEqual(['a: 1', 'b: 6']);
    await settle(1);
    expect(await other).toBe('6');
    await settle(0);
    expect(seen.slice(2)).toEqual(['a: 2,3,4']);
    await settle(2);
    await settle(3);
    expect(await Promise.all(answers)).toEqual(['1', '2', '3', '4', '5']);
    expect(seen.slice(3)).toEqual(['a: 5']);
  });

  it('leaves out what nobody waits for any more, and says so to what it has begun with', async () => {
    const { clock, seen, batches, settle } = startBatches();
    const begun = batches.ask('a', 'begun', 100);
    const waiting = batches.ask('a', 'waiting', 100);
    const patient = batches.ask('a', 'patient');
    clock.advance(100);
    expect(await Promise.all([begun, waiting])).toEqual(['late', 'late']);
    await settle(0);
    await settle(1);
    expect(await patient).toBe('patient');
    expect(seen).toEqual(['a: begun', 'a: patient']);
    expect(clock.pendingCount).toBe(0);
  });

  it('fails those of a decision that failed, and goes on', async () => {
    const { clock, batches, settle } = startBatches();
    const failed = batches.ask('a', '1', 100);
    const next = batches.ask('a', '2', 100);
    const refused = expect(failed).rejects.toThrow('no store');
    await settle(0, new Error('no store'));
    await refused;
    await settle(1);
    expect(await next).toBe('2');
    expect(clock.pendingCount).toBe(0);
  });
});
