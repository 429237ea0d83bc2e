import { describe, expect, it } from 'vitest';
import { Histogram, TimingHistogram } from './histogram.ts';
import { planWaitLimitMillis } from './plan-wait-limit.ts';
import { measureWork, showSeatSeconds, spreadWork } from './seat-seconds.ts';

describe('work', () => {
  it.for<[seats: number, nanos: number, work: number, text: string]>([
    [1, 3_000_000, 300_000, '0.00300000ss'],
    [2, 1_500_000_000, 300_000_000, '3.00000000ss'],
    [1, 4, 0, '0.00000000ss'],
    [1, 5, 1, '0.00000001ss'],
    [1, -5, -1, '-0.00000001ss'],
    [2.5, 1e9, 250_000_000, '2.50000000ss'],
    [600, 86_400e9, 5_184_000_000_000_000 / 1, '51840000.00000000ss'],
  ])('of %d seats over %d ns is %d', ([seats, nanos, work, text]) => {
    expect(measureWork(seats, nanos)).toBe(work);
    expect(showSeatSeconds(work)).toBe(text);
  });

  it('takes longer on fewer seats', () => {
    expect(spreadWork(measureWork(10, 50_000_000), 4)).toBe(125);
    expect(spreadWork(1, 3)).toBe(0.000_003);
  });
});

describe('planWaitLimitMillis', () => {
  it.for<[requestMillis: number | undefined, defaultMillis: number, waitMillis: number]>([
    [undefined, 60_000, 15_000],
    [undefined, 600_000, 60_000],
    [34_000, 60_000, 8500],
    [240_000, 60_000, 60_000],
    [1_000_000, 60_000, 60_000],
    [0, 60_000, 0],
  ])('lets a request with %d ms, on a server that allows %d ms, wait %d ms', ([requestMillis, defaultMillis, wait]) => {
    expect(planWaitLimitMillis(requestMillis, defaultMillis)).toBe(wait);
  });
});

describe('histograms', () => {
  it('count values up to each bound, and those above the last', () => {
    const histogram = new Histogram([0, 1, 2]);
    for (const value of [0, 0.5, 1, 1.5, 9]) histogram.observe(value);
    expect(histogram).toMatchObject({ counts: [1, 2, 1, 1], sum: 12 });
  });

  it('count for how long a ratio had which size', () => {
    const histogram = new TimingHistogram([0, 0.5, 1], 100);
    histogram.set(0.5, 110);
    histogram.set(2, 140);
    histogram.set(0, 140);
    expect(histogram.read(145)).toMatchObject({ counts: [15, 30, 0, 0], sum: 15 });
  });
});
