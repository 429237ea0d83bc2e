import { expect, it } from 'vitest';
import { parseOpenApiDuration } from './parse-open-api-duration.ts';

it.for<[string, bigint | undefined]>([
  ['1s', 1_000_000_000n],
  ['1h30m', 5_400_000_000_000n],
  ['-1.5h', -5_400_000_000_000n],
  ['.5s', 500_000_000n],
  ['0', 0n],
  ['3 days', 259_200_000_000_000n],
  ['3 days 2 hours', 266_400_000_000_000n],
  ['1wk', 604_800_000_000_000n],
  ['5 minutes or so', 300_000_000_000n],
  ['2562047h47m16.854775807s', 2n ** 63n - 1n],
  ['1', undefined],
  ['', undefined],
  ['soon', undefined],
  ['99999999999999999999s', undefined],
])('reads %s as %s nanoseconds', ([text, nanos]) => {
  expect(parseOpenApiDuration(text)).toBe(nanos);
});
