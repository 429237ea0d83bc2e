import { describe, expect, it } from 'vitest';

import { ManualClock } from '../process/manual-clock.ts';
import { RememberedScales } from './remembered-scales.ts';

function makeScales() {
  const clock = new ManualClock(1_000_000);
  const scales = new RememberedScales(clock);
  let reads = 0;
  const read = (key: string, namespace = 'n') =>
    scales.read(namespace, key, async () => {
      reads += 1;
      return { uid: key, replicas: reads };
    });
  return { clock, scales, read, countReads: () => reads };
}

describe('RememberedScales', () => {
  it('asks once for what many want at once and soon after', async () => {
    const { clock, read, countReads } = makeScales();
    await Promise.all([read('a'), read('a'), read('b'), read('a', 'other')]);
    expect(countReads()).toBe(3);
    clock.advance(9_999);
    expect(await read('a')).toMatchObject({ answer: { uid: 'a' }, againAtMillis: undefined });
    expect(countReads()).toBe(3);
    clock.advance(1);
    await read('a');
    expect(countReads()).toBe(4);
  });

  it('tells when to ask again of what was read before the last change, and then reads it', async () => {
    const { clock, scales, read, countReads } = makeScales();
    await read('a');
    scales.noteChange('other');
    expect((await read('a')).againAtMillis).toBeUndefined();
    scales.noteChange('n');
    clock.advance(999);
    expect(await read('a')).toEqual({ answer: { uid: 'a', replicas: 1 }, againAtMillis: 1_001_000 });
    clock.advance(1);
    expect(await read('a')).toEqual({ answer: { uid: 'a', replicas: 2 }, againAtMillis: undefined });
    expect(countReads()).toBe(2);
  });

  it('reads no more than two hundred times a second for one namespace that changes all the time', async () => {
    const { clock, scales, read, countReads } = makeScales();
    for (let i = 0; i < 2_000; i += 1) await read(`o${i}`);
    const before = countReads();
    for (let second = 0; second < 60; second += 1) {
      clock.advance(1_000);
      scales.noteChange('n');
      for (let i = 0; i < 2_000; i += 1) await read(`o${i}`);
    }
    expect(countReads() - before).toBeLessThanOrEqual(60 * 200);
  });

  it('does not remember a failure', async () => {
    const { scales, read, countReads } = makeScales();
    await expect(scales.read('n', 'a', () => Promise.reject(new Error('no connection')))).rejects.toThrow('no');
    expect((await read('a')).answer).toEqual({ uid: 'a', replicas: 1 });
    expect(countReads()).toBe(1);
  });
});
