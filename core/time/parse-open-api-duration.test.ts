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

it.for<[string, string]>([
  ['digits', '1'.repeat(1_000_000)],
  ['digits and a unit', `${'1'.repeat(1_000_000)}s`],
  ['zeros', `${'0'.repeat(1_000_000)} weeks`],
  ['a fraction', `0.${'1'.repeat(1_000_000)}s`],
  ['spaces', `1${' '.repeat(1_000_000)}`],
])('takes no longer for a million of %s than to read them', ([, text]) => {
  const before = process.threadCpuUsage();
  parseOpenApiDuration(text);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(500);
});
