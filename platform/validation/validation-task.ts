import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { CustomResourceDefinition } from '../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import type { StrategyContext } from '../../kinds/kind-definition.ts';

/** A write that a thread is asked to judge; plain data. */
export interface ValidationTask {
  /** The definition of a kind that users defined; absent for kinds of the program. */
  readonly definition?: CustomResourceDefinition | undefined;
  /** Names the kind. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** As the kind's strategy has prepared it. */
  readonly object: KubeObject;
  /** Absent for a new object. */
  readonly old?: KubeObject | undefined;
  /** Whether only the status is written; absent: it is not. */
  readonly isStatus?: boolean | undefined;
  readonly context: StrategyContext;
}
