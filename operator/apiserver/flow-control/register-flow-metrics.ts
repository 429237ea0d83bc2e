import type { Metric, Registry } from 'prom-client';
import type { FlowControl } from './flow-control.ts';
import { FLOW_METRICS_PREFIX, flowMetricFamilies, type FlowMetricsReading } from './flow-metric-families.ts';

/** Registers the metrics of flow control under the names that Kubernetes has for them. They are read when they are asked for. */
export function registerFlowMetrics(registry: Registry, flowControl: FlowControl): void {
  let latest: FlowMetricsReading | undefined;
  const read = (): FlowMetricsReading => {
    if (latest === undefined) {
      const { places, waiting, executing } = flowControl;
      latest = { metrics: flowControl.dispatcher.readMetrics(), places: [...places], waiting, executing };
      // What is asked for in one turn is read in one.
      setImmediate(() => {
        latest = undefined;
      });
    }
    return latest;
  };
  for (const { name, help, type, read: readFamily } of flowMetricFamilies) {
    const family = { name: FLOW_METRICS_PREFIX + name, help, type, aggregator: 'sum' };
    const metric = { ...family, get: async () => ({ ...family, values: readFamily(read()) }), reset: () => undefined };
    // The library knows what it reads from other metrics by these members alone.
    registry.registerMetric(metric as unknown as Metric);
  }
}
