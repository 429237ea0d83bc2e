import { type BudgetPod, isPodReady } from '../../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import { planBudgetStatus } from '../../../kinds/policy/pod-disruption-budget/plan-budget-status.ts';
import { selectBudgets } from '../../../kinds/policy/pod-disruption-budget/select-budgets.ts';
import type { PodDisruptionBudget } from '../../../kinds/policy/pod-disruption-budget/schema.ts';
import { podResource } from '../../../kinds/core/pod/pod-resource.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import { ManualClock } from '../../../platform/process/manual-clock.ts';
import { MemoryClient, type MemoryClientOptions } from '../../quota/testdata/memory-client.ts';
import { budgetResource, readBudgets } from '../budget-source.ts';
import { EvictionQueue, type QueuedAnswer } from '../eviction-queue.ts';

const namespace = 'n';

/** A budget of a scene: which pods it selects, by a label, and how many of them must stay healthy. */
export interface SceneBudget {
  readonly name: string;
  readonly label: string;
  readonly desiredHealthy: number;
  readonly policy?: string;
}

/** A pod of a scene, with the labels that it bears. */
export interface ScenePod {
  readonly name: string;
  readonly labels: readonly string[];
  readonly isReady: boolean;
}

/** Pods and their budgets in memory, replicas that decide about evictions, and one controller that counts. */
export class EvictionScene {
  readonly clock = new ManualClock(Date.parse('2026-01-31T12:00:00Z'));
  readonly client: MemoryClient;
  readonly failures: unknown[] = [];
  readonly swaps = { stored: 0, outrun: 0, undone: 0 };
  readonly #options: MemoryClientOptions;
  #counting: Promise<void> = Promise.resolve();

  constructor(options: MemoryClientOptions = {}) {
    this.#options = options;
    this.client = new MemoryClient(options);
  }

  /** Another process, which knows nothing of the others. Absent a clock for its timers, nobody has to turn one for those that try again. */
  startReplica(timers?: Clock): EvictionQueue {
    return new EvictionQueue({
      client: this.client,
      budgets: readBudgets(this.client),
      clock: timers ?? { now: () => this.clock.now(), schedule: (_delayMillis, callback) => this.#soon(callback) },
      random: () => 0,
      onSwap: (outcome) => void (this.swaps[outcome] += 1),
      onFailure: (error) => void this.failures.push(error),
    });
  }

  #soon(callback: () => void): () => void {
    let isCancelled = false;
    queueMicrotask(() => {
      if (!isCancelled) callback();
    });
    return () => void (isCancelled = true);
  }

  async createBudget({ name, label, desiredHealthy, policy }: SceneBudget): Promise<void> {
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, generation: 1 },
      spec: {
        minAvailable: desiredHealthy,
        selector: { matchLabels: { [label]: 'yes' } },
        ...(policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy }),
      },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    };
    await this.client.create({ resource: budgetResource, namespace }, budget);
  }

  async createPod({ name, labels, isReady }: ScenePod): Promise<void> {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        creationTimestamp: '2026-01-31T11:00:00Z',
        labels: Object.fromEntries(labels.map((label) => [label, 'yes'])),
      },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
    };
    await this.client.create({ resource: podResource, namespace }, pod);
  }

  readPods(): BudgetPod[] {
    return this.client.read<BudgetPod>('pods');
  }

  readBudgets(): PodDisruptionBudget[] {
    return this.client.read<PodDisruptionBudget>('poddisruptionbudgets');
  }

  /** How many of a budget's pods are stored and healthy. */
  countHealthy(budget: PodDisruptionBudget): number {
    return this.readPods().filter((pod) => isPodReady(pod) && selectBudgets([budget], pod).length > 0).length;
  }

  /** Asks a replica; where it grants, deletes the pod after so many steps of others, or dies before when they are fewer than none. */
  async evict(replica: EvictionQueue, podName: string, steps = 0): Promise<QueuedAnswer['outcome'] | 'died'> {
    const answer = await replica.decide(namespace, { podName, options: {}, dryRun: false });
    if (answer.outcome !== 'granted') return answer.outcome;
    if (steps < 0) return 'died';
    for (let step = 0; step < steps; step++) await this.#options.pause?.('wait');
    const { resourceVersion } = answer.pod.metadata;
    const isPinned = answer.plan.pinsVersion && resourceVersion !== undefined;
    try {
      await this.client.delete(
        { resource: podResource, namespace, name: podName },
        isPinned ? { preconditions: { resourceVersion } } : {},
      );
    } catch {
      return 'refused';
    }
    return 'granted';
  }

  /** A pod that was not ready becomes it. */
  async makeReady(name: string): Promise<void> {
    const reference = { resource: podResource, namespace, name };
    try {
      const pod = await this.client.get<BudgetPod>(reference);
      const status = { ...pod.status, conditions: [{ type: 'Ready', status: 'True' }] };
      await this.client.update(reference, { ...pod, status }, {}, 'status');
    } catch {
      // It has gone meanwhile, or somebody else did it.
    }
  }

  /** Somebody else writes to a budget, so that a compare-and-swap on what was read before must fail. */
  async touch(name: string): Promise<void> {
    const reference = { resource: budgetResource, namespace, name };
    const budget = await this.client.get(reference);
    await this.client.update(reference, budget, {}, 'status').catch(() => undefined);
  }

  /** What the controller does about one budget; one after the other, as its queue has it. */
  recount(name: string, readsPodsFirst = false): Promise<void> {
    const counted = this.#counting.then(() => this.#recount(name, readsPodsFirst));
    this.#counting = counted;
    return counted;
  }

  async #recount(name: string, readsPodsFirst: boolean): Promise<void> {
    const reference = { resource: budgetResource, namespace, name };
    const listPods = async () => (await this.client.list<BudgetPod>({ resource: podResource, namespace })).items;
    const early = readsPodsFirst ? await listPods() : undefined;
    const budget = await this.client.get<PodDisruptionBudget>(reference);
    const pods = (early ?? (await listPods())).filter((pod) => selectBudgets([budget], pod).length > 0);
    const desiredHealthy = Number(budget.spec.minAvailable);
    const { status } = planBudgetStatus({
      ...{ budget, pods, nowMillis: this.clock.now(), isGone: () => true },
      expected: { expectedPods: pods.length, desiredHealthy, unmanagedPods: [] },
    });
    if (status === undefined) return;
    try {
      await this.client.update(reference, { ...budget, status }, {}, 'status');
    } catch {
      // Somebody was faster; what they wrote is counted next.
    }
  }
}
