import type { Registry } from 'prom-client';
import type { KindRegistry } from '../../../kinds/registry.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import { systemMonotonicClock } from '../../../platform/process/monotonic-clock.ts';
import type { ObjectStore } from '../../../platform/store/object-store.ts';
import { FlowControl } from './flow-control.ts';
import { registerFlowMetrics } from './register-flow-metrics.ts';
import { StoredObjects } from './stored-objects.ts';

export interface FlowControlParts {
  readonly clock: Clock;
  readonly metrics: Registry;
  readonly domain: string;
  readonly totalSeats: number;
  /** Where the objects are that lists are about; absent: elsewhere. */
  readonly stored?: { readonly store: ObjectStore; readonly registry: KindRegistry };
}

/** Builds the flow control of a service, with its metrics. `startBorrowing` of its dispatcher is not called yet. */
export function buildFlowControl({ clock, metrics, domain, totalSeats, stored }: FlowControlParts): FlowControl {
  const now = (): number => clock.now();
  const objects = stored && new StoredObjects(stored.store, stored.registry, now);
  const flowControl = new FlowControl({
    ...{ clock: systemMonotonicClock, now, totalSeats, domain },
    ...(objects === undefined ? {} : { findStatistics: (info) => objects.find(info) }),
  });
  registerFlowMetrics(metrics, flowControl);
  return flowControl;
}
