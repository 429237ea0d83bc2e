import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { StrategyContext } from '../../kinds/kind-definition.ts';

/** A write that a thread is asked to judge; plain data. */
export interface ValidationTask {
  /** Names the kind. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** As the kind's strategy has prepared it. */
  readonly object: KubeObject;
  /** Absent for a new object. */
  readonly old?: KubeObject | undefined;
  readonly context: StrategyContext;
}
