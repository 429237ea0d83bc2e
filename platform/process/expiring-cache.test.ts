import { describe, expect, it } from 'vitest';
import { ManualClock } from './manual-clock.ts';
import { ExpiringCache } from './expiring-cache.ts';

function makeScene(maxEntries = 10) {
  const clock = new ManualClock(0);
  const cache = new ExpiringCache<string>({
    clock,
    maxEntries,
    lifeMillis: (value) => (value === 'short' ? 10 : 1000),
  });
  let asked = 0;
  const ask = (value: string) => async () => {
    asked += 1;
    return value;
  };
  return { clock, cache, ask, countAsked: () => asked };
}

describe('ExpiringCache', () => {
  it('asks once for as long as the answer is believed', async () => {
    const { clock, cache, ask, countAsked } = makeScene();
    expect(await cache.find('a', ask('short'))).toBe('short');
    clock.advance(9);
    expect(await cache.find('a', ask('other'))).toBe('short');
    clock.advance(1);
    expect(await cache.find('a', ask('other'))).toBe('other');
    expect(countAsked()).toBe(2);
  });

  it('believes no answer longer when its clock is set back', async () => {
    for (const [before, back, after] of [
      [9, 8, 1],
      [0, 3_600_000, 1],
    ] as const) {
      const { clock, cache, ask, countAsked } = makeScene();
      await cache.find('a', ask('short'));
      clock.advance(before);
      clock.setBack(back);
      clock.advance(after);
      await cache.find('a', ask('short'));
      expect(countAsked()).toBe(2);
    }
  });

  it('asks again for what it was to forget', async () => {
    const { cache, ask } = makeScene();
    const known = cache.find('a', ask('x'));
    expect(await known).toBe('x');
    cache.forget('a', known);
    expect(await cache.find('a', ask('y'))).toBe('y');
    cache.forget('a', known);
    expect(await cache.find('a', ask('z'))).toBe('y');
  });

  it('asks once however many wait', async () => {
    const { cache, ask, countAsked } = makeScene();
    const answers = await Promise.all([cache.find('a', ask('x')), cache.find('a', ask('y'))]);
    expect(answers).toEqual(['x', 'x']);
    expect(countAsked()).toBe(1);
  });

  it('asks again after a failure', async () => {
    const { cache, ask } = makeScene();
    const fail = async () => {
      throw new Error('no answer');
    };
    await expect(cache.find('a', fail)).rejects.toThrow('no answer');
    expect(await cache.find('a', ask('x'))).toBe('x');
  });

  it('forgets the oldest beyond its bound', async () => {
    const { cache, ask, countAsked } = makeScene(2);
    for (const key of ['a', 'b', 'c']) await cache.find(key, ask(key));
    await cache.find('c', ask('c'));
    await cache.find('b', ask('b'));
    expect(countAsked()).toBe(3);
    await cache.find('a', ask('a'));
    expect(countAsked()).toBe(4);
  });
});
