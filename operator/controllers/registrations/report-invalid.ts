import type { Registry } from 'prom-client';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { findRegistrationMetrics } from './registration-metrics.ts';
import type { EventSink } from './registrations-controller.ts';

/** Where to tell of objects that nothing can act on. */
export interface InvalidReportOptions {
  readonly events: EventSink;
  readonly metrics: Registry;
}

/** Tells of each object of a kind that nothing can act on, by Event and in the metrics. */
export function reportInvalid(
  { events, metrics }: InvalidReportOptions,
  kind: string,
): (object: KubeObject, faults: readonly string[]) => void {
  const { invalid } = findRegistrationMetrics(metrics);
  return (object, faults) => {
    invalid.inc({ kind });
    events.record(object, 'Warning', 'Invalid', `Nothing acts on it: ${faults.join('; ')}`);
  };
}
