import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';

/** Condition of a Namespace; of each type there is at most one. */
export interface NamespaceCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** A Namespace as the controllers read and write it. */
export interface NamespaceObject extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: NamespaceCondition[] };
}

/** Resource name of namespaces. */
export const namespaceResource: ResourceName = { group: '', version: 'v1', resource: 'namespaces' };

/** The finalizer that the namespace controller removes once a namespace is empty. */
export const namespaceFinalizer = 'kubernetes';

/** Whether a namespace still takes new objects. */
export function isActiveNamespace(namespace: NamespaceObject): boolean {
  return namespace.status?.phase !== 'Terminating' && namespace.metadata.deletionTimestamp === undefined;
}
