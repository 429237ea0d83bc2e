import { expect, it } from 'vitest';

import { Deferred } from './deferred.ts';

it('is loaded once, and can be read from then on', async () => {
  let reads = 0;
  const deferred = new Deferred(async () => ({ reads: ++reads }));
  expect(deferred.isLoaded).toBe(false);
  expect(() => deferred.value).toThrow('not loaded');
  const [first, second] = await Promise.all([deferred.load(), deferred.load()]);
  expect(first).toBe(second);
  expect(await deferred.load()).toBe(first);
  expect(deferred.isLoaded).toBe(true);
  expect(deferred.value).toEqual({ reads: 1 });
});

it('is loaded again after it failed', async () => {
  let reads = 0;
  const deferred = new Deferred(async () => {
    reads++;
    if (reads === 1) throw new Error('no file');
    return 'found';
  });
  await expect(Promise.all([deferred.load(), deferred.load()])).rejects.toThrow('no file');
  expect(deferred.isLoaded).toBe(false);
  expect(await deferred.load()).toBe('found');
  expect(reads).toBe(2);
});
