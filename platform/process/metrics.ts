import { collectDefaultMetrics, Registry } from 'prom-client';

export type { Registry } from 'prom-client';

/** A registry of its own with the process's metrics (CPU, memory, event loop); nothing is registered globally. */
export function createMetricsRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
