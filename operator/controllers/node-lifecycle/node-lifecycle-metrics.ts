import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client';

import type { ZoneHealth } from '../../../kinds/core/node/plan-zone-state.ts';

/** Controllers come and go with the leadership, metrics stay. */
function findMetric<T extends Metric>(registry: Registry, name: string, make: () => T): T {
  return (registry.getSingleMetric(name) as T | undefined) ?? make();
}

const zoneLabel = ['zone' as const];

/** What watching nodes tells of itself, under the names that it has in Kubernetes; zones as `REGION/ZONE`. */
export class NodeLifecycleMetrics {
  readonly #sizes: Gauge<'zone'>;
  readonly #health: Gauge<'zone'>;
  readonly #unhealthy: Gauge<'zone'>;
  readonly #evictions: Counter<'zone'>;
  #zones: ReadonlySet<string> = new Set();
  readonly #passes: Histogram;
  readonly #deletions: Counter;
  readonly #deletionDelays: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    const gauge = (name: string, help: string): Gauge<'zone'> =>
      findMetric(registry, name, () => new Gauge({ registers, name, help, labelNames: zoneLabel }));
    const histogram = (name: string, help: string, buckets: number[]): Histogram =>
      findMetric(registry, name, () => new Histogram({ registers, name, help, buckets }));
    this.#sizes = gauge('node_collector_zone_size', 'Nodes of a zone.');
    this.#health = gauge('node_collector_zone_health', 'Percentage of nodes of a zone that are ready.');
    this.#unhealthy = gauge('node_collector_unhealthy_nodes_in_zone', 'Nodes of a zone that are not ready.');
    const evictions = 'node_collector_evictions_total';
    this.#evictions = findMetric(
      registry,
      evictions,
      () =>
        new Counter({
          registers,
          name: evictions,
          help: 'Nodes that were tainted to be emptied.',
          labelNames: zoneLabel,
        }),
    );
    this.#passes = histogram(
      'node_collector_update_all_nodes_health_duration_seconds',
      'Time that a look at all nodes takes.',
      [0.01, 0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84],
    );
    const deletions = 'taint_eviction_controller_pod_deletions_total';
    this.#deletions = findMetric(
      registry,
      deletions,
      () => new Counter({ registers, name: deletions, help: 'Pods that were deleted for a taint of their node.' }),
    );
    this.#deletionDelays = histogram(
      'taint_eviction_controller_pod_deletion_duration_seconds',
      'Time from when a pod had to go for a taint to its deletion.',
      [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
    );
  }

  /** Every zone that has nodes; others are no longer told of. */
  noteZones(zones: ReadonlyMap<string, ZoneHealth>): void {
    for (const zone of this.#zones) if (!zones.has(zone)) this.#evictions.remove({ zone });
    this.#zones = new Set(zones.keys());
    for (const gauge of [this.#sizes, this.#health, this.#unhealthy]) gauge.reset();
    for (const [zone, { ready, notReady }] of zones) {
      this.#sizes.set({ zone }, ready + notReady);
      this.#health.set({ zone }, (100 * ready) / (ready + notReady));
      this.#unhealthy.set({ zone }, notReady);
      this.#evictions.inc({ zone }, 0);
    }
  }

  /** A node was tainted so that its pods go. */
  noteTainting(zone: string): void {
    this.#evictions.inc({ zone });
  }

  /** A look at all nodes has ended. */
  notePass(millis: number): void {
    this.#passes.observe(millis / 1_000);
  }

  /** A pod was deleted, so long after it had to go. */
  noteDeletion(delayMillis: number): void {
    this.#deletions.inc();
    this.#deletionDelays.observe(Math.max(0, delayMillis) / 1_000);
  }
}
