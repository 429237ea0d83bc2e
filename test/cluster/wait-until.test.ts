import { expect, it } from 'vitest';

import { waitForValue, waitUntil } from './wait-until.ts';

function refuse(): Promise<never> {
  return Promise.reject(Object.assign(new Error('nobody listens'), { code: 'ECONNREFUSED' }));
}

it('returns what was read when it is there', async () => {
  let reads = 0;
  expect(
    await waitForValue(
      'a third',
      async () => (reads += 1),
      (value) => value === 3,
    ),
  ).toBe(3);
});

it('asks again where nobody answered', async () => {
  let asked = 0;
  await waitUntil('an answer', async () => ((asked += 1) < 3 ? refuse() : true));
  expect(asked).toBe(3);
});

it.for<[string, () => Promise<unknown>, string]>([
  ['an object', async () => ({ status: { pods: 1 } }), '{"status":{"pods":1}}'],
  ['a text', async () => 'Pending', 'Pending'],
  ['nothing', async () => undefined, 'undefined'],
  ['no answer', refuse, 'ECONNREFUSED: nobody listens'],
])('says what was there last: %s', async ([, read, last]) => {
  await expect(waitForValue('it', read, () => false, 150)).rejects.toThrow(
    new RegExp(`^waited in vain for it: \\d+ looks in \\d+ s, the last: ${last.replaceAll(/[{}]/g, '\\$&')}$`),
  );
});

it('does not ask again after another fault', async () => {
  let asked = 0;
  const probe = (): Promise<boolean> => Promise.reject(new Error(`fault ${(asked += 1)}`));
  await expect(waitUntil('it', probe)).rejects.toThrow('fault 1');
});
