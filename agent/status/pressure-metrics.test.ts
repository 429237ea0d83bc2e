import { expect, it } from 'vitest';
import { createMetricsRegistry } from '../../platform/process/metrics.ts';
import { registerPressureMetrics } from './pressure-metrics.ts';
import { openRecordedFiles } from './testdata/recorded-files.ts';

it('serves how long a node stalled, as its kernel counts, and nothing that it does not count', async () => {
  const metrics = createMetricsRegistry();
  registerPressureMetrics({ files: openRecordedFiles('cgroup-v2'), metrics });
  for (const _ of [1, 2]) {
    const text = await metrics.metrics();
    const lines = text.split('\n').filter((line) => line.startsWith('container_pressure_'));
    expect(lines).toEqual([
      'container_pressure_memory_waiting_seconds_total{id="/"} 2.123456',
      'container_pressure_memory_stalled_seconds_total{id="/"} 0.5',
    ]);
  }
});
