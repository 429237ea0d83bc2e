import { expect, it } from 'vitest';
import { AwaitingKinds } from './awaiting-kinds.ts';

it('keeps what is tracked, and forgets what is gone before it becomes much', () => {
  const tracked = new Set<string>();
  const awaiting = new AwaitingKinds((uid) => tracked.has(uid));
  for (let i = 0; i < 10_000; i += 1) {
    if (i % 100 === 0) tracked.add(String(i));
    awaiting.add(String(i));
    expect(awaiting.size).toBeLessThanOrEqual(1000);
  }
  const taken = new Set(awaiting.takeAll());
  expect([...tracked].filter((uid) => !taken.has(uid))).toEqual([]);
  expect(awaiting.takeAll()).toEqual([]);
});
