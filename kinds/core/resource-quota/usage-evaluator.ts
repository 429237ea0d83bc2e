import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ScopeRequirement } from './schema.ts';
import type { Usage } from './usage.ts';

/** A write as quota sees it. */
export interface QuotaRequest<T extends KubeObject = KubeObject> {
  readonly operation: 'CREATE' | 'UPDATE';
  /** `status`, `resize` …; absent for the object itself. */
  readonly subresource?: string;
  readonly object: T;
  /** Absent for CREATE. */
  readonly oldObject?: T;
}

/** How one kind of object uses up quota: the counterpart of a quota, in the kind's own folder. Pure. */
export interface UsageEvaluator<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly resource: string;
  /** Whether every object uses the same as long as it exists; absent means no. */
  readonly countsOnly?: boolean;
  /** Whether a write of this sort can use more quota than before. */
  handles(request: QuotaRequest<T>): boolean;
  /** Scopes that an update can move an object into or out of although it uses the same as before; absent: none. */
  readonly movableScopes?: readonly string[];
  /** Those of a quota's resource names that this kind uses. */
  selectResources(names: Iterable<string>): string[];
  /** Whether an object is in a scope; false for scopes that the kind knows nothing of. */
  matchesScope(requirement: ScopeRequirement, object: T): boolean;
  /** Why an object lacks what a quota on these resources demands of it, in Kubernetes' wording; `undefined` when it does not. */
  checkConstraints?(resources: readonly string[], object: T): string | undefined;
  /** What an object uses at a time (milliseconds since the epoch). */
  measure(object: T, nowMillis: number): Usage;
  /** When an object stops using quota although nothing is written, in milliseconds since the epoch; absent: never. */
  findExpiry?(object: T): number | undefined;
  /** What, beside the measured amounts, decides in which scopes an object is; absent: nothing. */
  describeScopes?(object: T): string;
}
