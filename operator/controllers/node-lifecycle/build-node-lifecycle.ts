import type { NodeTaintKeys } from '../../../kinds/core/node/node-taint-keys.ts';
import type { EventRecorder } from '../../../platform/kube/event-recorder.ts';
import type { Registry } from '../../../platform/process/metrics.ts';
import { type MonotonicClock, systemMonotonicClock } from '../../../platform/process/monotonic-clock.ts';
import type { ControllerOptions } from '../controller-parts.ts';
import { FollowedNodes } from './followed-nodes.ts';
import { NodeLifecycleController } from './node-lifecycle-controller.ts';
import { NodeLifecycleMetrics } from './node-lifecycle-metrics.ts';
import type { NodeLifecycleSettings } from './node-lifecycle-settings.ts';
import { TaintEvictionController } from './taint-eviction-controller.ts';

export interface NodeLifecycleParts extends ControllerOptions {
  readonly metrics: Registry;
  readonly keys: NodeTaintKeys;
  readonly settings: NodeLifecycleSettings;
  /** Measures times that are tolerated, and rates; absent: the time since the process began. */
  readonly monotonicClock?: Pick<MonotonicClock, 'nowNanos'>;
  /** Whoever writes Events under the name of a component. */
  readonly recordAs: (component: string) => Pick<EventRecorder, 'record'>;
}

/** The watch over nodes, in two controllers that share what they follow; each can run without the other. */
export interface NodeLifecycle {
  readonly lifecycle: NodeLifecycleController;
  readonly eviction: TaintEvictionController;
}

/** Puts both together, under the names that their Events have in Kubernetes. */
export function buildNodeLifecycle({ recordAs, ...parts }: NodeLifecycleParts): NodeLifecycle {
  const metrics = new NodeLifecycleMetrics(parts.metrics);
  const monotonicClock = parts.monotonicClock ?? systemMonotonicClock;
  const common = { ...parts, monotonicClock, metrics, followed: new FollowedNodes(parts) };
  return {
    lifecycle: new NodeLifecycleController({ ...common, events: recordAs('node-controller') }),
    eviction: new TaintEvictionController({ ...common, events: recordAs('taint-eviction-controller') }),
  };
}
