import type { NodeHealthSettings } from '../../../kinds/core/node/plan-node-health.ts';
import type { ZoneRateSettings } from '../../../kinds/core/node/plan-zone-state.ts';

/** How nodes are watched, and how fast they are given up. */
export interface NodeLifecycleSettings extends NodeHealthSettings, ZoneRateSettings {
  /** Between two looks at all nodes. */
  readonly monitorPeriodMillis: number;
  /** Before the slash of the keys of taints; `undefined`: as the domain says. */
  readonly taintPrefix: string | undefined;
  /** How long new pods put up with a node that is not ready, unless they say so themselves. */
  readonly notReadyTolerationSeconds: number;
  /** As above, with one that is out of reach. */
  readonly unreachableTolerationSeconds: number;
}

/** What Kubernetes does unless it is told otherwise. */
export const defaultNodeLifecycleSettings: NodeLifecycleSettings = {
  monitorPeriodMillis: 5_000,
  monitorGraceMillis: 50_000,
  startupGraceMillis: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeZoneSize: 50,
  unhealthyThreshold: 0.55,
  taintPrefix: undefined,
  notReadyTolerationSeconds: 300,
  unreachableTolerationSeconds: 300,
};
