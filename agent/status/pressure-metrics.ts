import { Counter } from 'prom-client';
import type { Registry } from '../../platform/process/metrics.ts';
import type { HostFiles } from './host-files.ts';
import { parsePressure, type StallTimes } from './parse-proc.ts';

const resources = ['cpu', 'memory', 'io'] as const;
const whole = { id: '/' };

/** Counters of what the kernel counts itself. */
const kinds = [
  {
    name: 'waiting',
    help: (resource: string) => `Total time duration tasks in the container have waited due to ${resource} congestion.`,
    read: (times: StallTimes) => times.someSeconds,
  },
  {
    name: 'stalled',
    help: (resource: string) =>
      `Total time duration no tasks in the container could make progress due to ${resource} congestion.`,
    read: (times: StallTimes) => times.fullSeconds,
  },
] as const;

/** Serves how long the whole node stalled for want of CPU, memory and disks, under the kubelet's names, where the kernel tells that. */
export function registerPressureMetrics(options: { readonly files: HostFiles; readonly metrics: Registry }): void {
  const { files, metrics } = options;
  for (const resource of resources) {
    for (const { name, help, read } of kinds) {
      const counter = new Counter({
        name: `container_pressure_${resource}_${name}_seconds_total`,
        help: help(resource),
        labelNames: ['id'],
        registers: [],
        async collect() {
          const times = parsePressure((await files.readText(`/proc/pressure/${resource}`)) ?? '');
          this.reset();
          if (times !== undefined) this.inc(whole, read(times));
        },
      });
      metrics.registerMetric(counter);
    }
  }
}
