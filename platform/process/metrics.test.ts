import { Counter, Histogram, Registry } from 'prom-client';
import { afterEach, expect, it, vi } from 'vitest';
import { EventLoopYield } from './event-loop-yield.ts';
import { createMetricsRegistry } from './metrics.ts';

afterEach(() => vi.restoreAllMocks());

it('prints metrics with many series as the library does, a slice at a time', async () => {
  const sliced = createMetricsRegistry();
  sliced.clear();
  const plain = new Registry();
  for (const register of [sliced, plain]) {
    const registers = [register];
    const counter = new Counter({ name: 'many_total', help: 'Many\nseries', labelNames: ['name'], registers });
    for (let i = 0; i < 2000; i += 1) counter.inc({ name: `series "${i}"\n` }, i);
    const none = new Counter({ name: 'none_total', help: 'none', labelNames: ['name'], registers });
    none.reset();
    const one = new Counter({ name: 'one_total', help: 'one', registers });
    one.inc();
    const histogram = new Histogram({ name: 'times', help: 'times', labelNames: ['name'], buckets: [1, 2], registers });
    for (let i = 0; i < 250; i += 1) histogram.observe({ name: `${i}` }, i % 3);
  }
  const pause = vi.spyOn(EventLoopYield.prototype, 'pause');
  expect(await sliced.metrics()).toBe(await plain.metrics());
  expect(pause.mock.calls.length).toBeGreaterThanOrEqual(8 + 1 + 1 + 5);
});
