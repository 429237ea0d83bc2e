import { deepEqual } from '../../../core/meta/deep.ts';
import type { KubeObject, ObjectMeta } from '../../../core/meta/kube-object.ts';
import { findControllerReference, type BudgetPod } from '../../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import type { ScaledWorkload } from '../../../platform/scale/find-controller-scale.ts';

const conditionTypes = new Set(['Ready', 'DisruptionTarget']);

function reduceMetadata(object: KubeObject, further: Pick<ObjectMeta, 'labels' | 'deletionTimestamp'>): ObjectMeta {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const controller = findControllerReference(object);
  return {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...further,
    ...(controller === undefined ? {} : { ownerReferences: [controller] }),
  };
}

/** What budgets need of a pod, a tenth of it. */
export function reducePod({ apiVersion, kind, metadata, status }: BudgetPod): BudgetPod {
  const { labels, deletionTimestamp } = metadata;
  const conditions = status?.conditions?.filter(({ type }) => conditionTypes.has(type)) ?? [];
  return {
    apiVersion,
    kind,
    metadata: reduceMetadata(
      { apiVersion, kind, metadata },
      {
        ...(labels === undefined ? {} : { labels }),
        ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      },
    ),
    status: {
      ...(status?.phase === undefined ? {} : { phase: status.phase }),
      conditions: conditions.map(({ type, status: state, reason, lastTransitionTime }) => ({
        ...{ type, status: state },
        ...(reason === undefined ? {} : { reason }),
        ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
      })),
    },
  };
}

/** What budgets need of a workload. */
export function reduceWorkload({ apiVersion, kind, metadata, spec }: ScaledWorkload): ScaledWorkload {
  const replicas = spec?.replicas;
  return {
    apiVersion,
    kind,
    metadata: reduceMetadata({ apiVersion, kind, metadata }, {}),
    spec: replicas === undefined ? {} : { replicas },
  };
}

/** Whether two states of an object that was reduced differ in more than their version. */
export function isChanged<T extends KubeObject>(object: T, previous: T): boolean {
  const { metadata, ...rest } = object;
  const { metadata: oldMetadata, ...oldRest } = previous;
  const { resourceVersion: _, ...facts } = metadata;
  const { resourceVersion: __, ...oldFacts } = oldMetadata;
  return !deepEqual([facts, rest], [oldFacts, oldRest]);
}
