import { expect, it } from 'vitest';
import { CallLimit } from './call-limit.ts';

/** How many calls begin until one is refused. */
function countUntilRefused(begin: () => void): number {
  for (let count = 0; count < 1000; count++) {
    try {
      begin();
    } catch (error) {
      expect(error).toMatchObject({ status: { code: 429 } });
      return count;
    }
  }
  return Number.POSITIVE_INFINITY;
}

it('gives a namespace a quarter of a node, and leaves the rest to others', () => {
  const limit = new CallLimit({ all: 128, node: 16 });
  expect(countUntilRefused(() => limit.begin('a', 'greedy'))).toBe(4);
  expect(countUntilRefused(() => limit.begin('b', 'greedy'))).toBe(4);
  expect(['x', 'y', 'z'].map((namespace) => countUntilRefused(() => limit.begin('a', namespace)))).toEqual([4, 4, 4]);
  expect(countUntilRefused(() => limit.begin('a', 'other'))).toBe(0);
});

it('gives a namespace a quarter of all nodes', () => {
  const limit = new CallLimit({ all: 128, node: 16 });
  let node = 0;
  expect(countUntilRefused(() => limit.begin(`n${node++}`, 'greedy'))).toBe(32);
  expect(countUntilRefused(() => limit.begin('n0', 'other'))).toBe(4);
});

it('gives places back once', () => {
  const limit = new CallLimit({ all: 4, node: 4 });
  const end = limit.begin('a', 'n');
  end();
  end();
  expect(countUntilRefused(() => limit.begin('a', 'n'))).toBe(1);
});
