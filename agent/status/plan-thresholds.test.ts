import { describe, expect, it } from 'vitest';
import { formatQuantity, readQuantity } from '../../core/quantity/quantity.ts';
import { completeThresholds, planThresholds, resolveThreshold } from './plan-thresholds.ts';

describe('thresholds of pressure', () => {
  it.for([
    [{ 'memory.available': '100Mi' }, '1Gi', '100Mi'],
    // 32-bit floats, as Kubernetes keeps them: 10 % of 16777216 is not 1677721.
    [{ 'nodefs.available': '10%' }, '16777216', '1677721'],
    [{ 'nodefs.available': '10%' }, '105088212992', '10508821455'],
    [{ 'nodefs.inodesFree': '5%' }, '6553600', '320Ki'],
    [{ 'imagefs.available': '15%' }, '100', '15'],
    [{ 'pid.available': '12.5%' }, '32768', '4Ki'],
  ] as const)('%j stand for a part of %s: %s', ([configured, capacity, amount]) => {
    const { thresholds, faults } = planThresholds(configured);
    expect(faults).toEqual([]);
    const value = thresholds[0]?.value ?? { part: Number.NaN };
    expect(formatQuantity(resolveThreshold(value, readQuantity(capacity)))).toBe(amount);
  });

  it.for([['0%'], ['100%']] as const)('of %s are turned off', ([text]) => {
    expect(planThresholds({ 'memory.available': text })).toEqual({ thresholds: [], faults: [] });
  });

  it.for([
    ['memory.free', '1Gi', 'unsupported eviction signal memory.free'],
    ['memory.available', '-1%', 'eviction percentage threshold memory.available must be >= 0%: -1%'],
    ['memory.available', '101%', 'eviction percentage threshold memory.available must be <= 100%: 101%'],
    ['memory.available', 'ten%', 'strconv.ParseFloat: parsing "ten": invalid syntax'],
    ['memory.available', '0', 'eviction threshold memory.available must be positive: 0'],
    ['memory.available', '-1Gi', 'eviction threshold memory.available must be positive: -1Gi'],
    [
      'memory.available',
      'much',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ] as const)('of %s at %s are refused: %s', ([signal, text, message]) => {
    expect(planThresholds({ [signal]: text })).toEqual({ thresholds: [], faults: [{ signal, message }] });
  });

  it.for([
    [false, 'nodefs.', '10%'],
    [true, 'imagefs.', '15%'],
  ] as const)(
    'of what containers write are those of its file system (on that of images: %s)',
    ([isOnImageFs, from]) => {
      const { thresholds } = planThresholds({
        'nodefs.available': '10%',
        'imagefs.available': '15%',
        'containerfs.available': '99%',
      });
      const completed = completeThresholds(thresholds, isOnImageFs);
      const find = (signal: string) => completed.filter((threshold) => threshold.signal === signal);
      expect(find('containerfs.available')).toEqual([
        { ...find(`${from}available`)[0], signal: 'containerfs.available' },
      ]);
    },
  );
});
