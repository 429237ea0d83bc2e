import { Counter, Gauge, type Registry } from 'prom-client';

/** What the registrations count. */
export interface RegistrationMetrics {
  readonly registered: Gauge;
  readonly writes: Counter;
  readonly invalid: Counter;
}

function find<T>(metrics: Registry, name: string, make: () => T): T {
  return (metrics.getSingleMetric(name) as T | undefined) ?? make();
}

/** The metrics in a registry, which are made there once: each term of a leader has controllers of its own. */
export function findRegistrationMetrics(metrics: Registry): RegistrationMetrics {
  const registers = [metrics];
  return {
    registered: find(metrics, 'bailiwick_registered_namespaces', () => {
      const help = 'Namespaces that a webhook entry names; -1 when it names those that it leaves out.';
      return new Gauge({ name: 'bailiwick_registered_namespaces', help, labelNames: ['webhook'], registers });
    }),
    writes: find(metrics, 'bailiwick_registration_writes_total', () => {
      const help = 'Writes of webhook configurations.';
      return new Counter({
        name: 'bailiwick_registration_writes_total',
        help,
        labelNames: ['type', 'action'],
        registers,
      });
    }),
    invalid: find(metrics, 'bailiwick_invalid_objects_total', () => {
      const help = 'Objects that were seen to break the rules of their kind, once for each of their generations.';
      return new Counter({ name: 'bailiwick_invalid_objects_total', help, labelNames: ['kind'], registers });
    }),
  };
}
