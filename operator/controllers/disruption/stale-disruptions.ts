import { hasReason } from '../../../core/errors/status.ts';
import { deepClone } from '../../../core/meta/deep.ts';
import { setPodCondition } from '../../../kinds/core/pod/pod-condition.ts';
import type { BudgetPod } from '../../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import { findStaleDisruption } from '../../../kinds/policy/pod-disruption-budget/find-stale-disruption.ts';
import { podResource } from '../../../kinds/core/pod/pod-resource.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import { getIfPresent } from '../../../platform/resources/get-if-present.ts';
import { parseObjectKey } from '../../../platform/resources/collection-index.ts';
import { createControllerQueue, type ControllerOptions } from '../controller-parts.ts';

const fieldManager = 'kube-controller-manager';
/** After another's write, in milliseconds. */
const conflictMillis = 1_000;

/** Takes the condition DisruptionTarget back from pods that were to be disrupted and that nobody has deleted in two minutes. */
export class StaleDisruptions {
  readonly #options: ControllerOptions;
  readonly #queue: WorkQueue;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#queue = createControllerQueue(options, 'stale-disruption', (key) => this.#clear(key));
  }

  /** Looks at a pod that is new or has changed. */
  look(key: string, pod: BudgetPod): void {
    const nowMillis = this.#options.clock.now();
    const staleMillis = findStaleDisruption(pod);
    if (staleMillis !== undefined) this.#queue.addAfter(key, Math.max(0, staleMillis - nowMillis));
  }

  /** Forgets a pod that is gone. */
  forget(key: string): void {
    this.#queue.cancelAfter(key);
  }

  /** Resolves when nothing runs any more. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  async #clear(key: string): Promise<WorkResult | undefined> {
    const { client, clock } = this.#options;
    const { namespace = '', name } = parseObjectKey(key);
    const reference = { resource: podResource, namespace, name };
    const pod = await getIfPresent<BudgetPod>(client, reference);
    const staleMillis = pod === undefined ? undefined : findStaleDisruption(pod);
    if (pod === undefined || staleMillis === undefined) return undefined;
    const nowMillis = clock.now();
    if (staleMillis > nowMillis) return { againAfterMillis: staleMillis - nowMillis };
    const cleared = deepClone(pod);
    const { generation } = pod.metadata;
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    setPodCondition(cleared, { type: 'DisruptionTarget', status: 'False', ...observed }, nowMillis);
    try {
      await client.update(reference, cleared, { fieldManager }, 'status');
    } catch (error) {
      if (hasReason(error, 'Conflict')) return { againAfterMillis: conflictMillis };
      if (!hasReason(error, 'NotFound')) throw error;
    }
    return undefined;
  }
}
