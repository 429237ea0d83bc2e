import type { BudgetPod } from '../../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import { formatGoSelector } from '../../../kinds/policy/pod-disruption-budget/format-go-selector.ts';
import { judgeImpossibleBudget } from '../../../kinds/policy/pod-disruption-budget/judge-impossible-budget.ts';
import { planBudgetStatus, planFailedStatus } from '../../../kinds/policy/pod-disruption-budget/plan-budget-status.ts';
import type { PodDisruptionBudget } from '../../../kinds/policy/pod-disruption-budget/schema.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import { gatherExpectedPods, gatherReplicas } from '../../../platform/scale/gather-expected-pods.ts';
import type { BudgetReport } from './budget-reports.ts';
import { findSelectorFault } from './find-selector-fault.ts';
import type { FollowedWorkloads, ScaleReads } from './followed-workloads.ts';
import type { GonePods } from './gone-pods.ts';

/** What was found of a budget. */
export interface BudgetCount {
  /** `undefined` when the present one says the same. */
  readonly status: PodDisruptionBudget['status'] | undefined;
  readonly reports: readonly BudgetReport[];
  /** Names of pods whose eviction was granted, and which nobody deleted in time. */
  readonly notDeleted: readonly string[];
  /** When to look again although nothing changes, in milliseconds since the epoch; absent: never. */
  readonly againAtMillis?: number;
  /** Why it failed, where that is worth another try. */
  readonly error?: unknown;
}

interface JudgedSelector {
  readonly generation: number | undefined;
  readonly fault: string | undefined;
}

/** Finds what the status of budgets is to say. */
export class BudgetCounter {
  readonly #clock: Clock;
  readonly #workloads: FollowedWorkloads;
  readonly #gone: GonePods;
  /** By key of a budget. */
  readonly #judged = new Map<string, JudgedSelector>();

  constructor(clock: Clock, workloads: FollowedWorkloads, gone: GonePods) {
    this.#clock = clock;
    this.#workloads = workloads;
    this.#gone = gone;
  }

  /** Forgets what was found of a budget's selector: it is gone, or has another one. */
  forget(key: string): void {
    this.#judged.delete(key);
  }

  /** Counts a budget with the pods that it selects, and notes in `reads` what that depends on. */
  async count(
    key: string,
    budget: PodDisruptionBudget,
    selected: readonly BudgetPod[],
    reads: ScaleReads,
  ): Promise<BudgetCount> {
    const { namespace = '' } = budget.metadata;
    const fault = await this.#findFault(key, budget);
    if (fault !== undefined) return this.#fail(budget, fault, 'NoPods', 'Failed to get pods');
    let answer: Awaited<ReturnType<typeof gatherExpectedPods>>;
    try {
      answer = await gatherExpectedPods(this.#workloads.read(reads), budget, selected);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { ...this.#failCount(budget, message), error };
    }
    if ('fault' in answer) return this.#failCount(budget, answer.fault);
    const known: ScaleReads = { workloads: reads.workloads, hasScales: false };
    const replicas = await gatherReplicas(this.#workloads.readKnown(known), namespace, selected);
    const plan = planBudgetStatus({
      ...{ budget, pods: selected, expected: answer.counted, nowMillis: this.#clock.now() },
      isGone: (name, grantedMillis) => this.#gone.hasGoneSince(`${namespace}/${name}`, grantedMillis),
    });
    const impossible = judgeImpossibleBudget(budget.spec ?? {}, replicas);
    const reports: BudgetReport[] = [];
    if (selected.length === 0) reports.push({ type: 'Normal', reason: 'NoPods', message: 'No matching pods found' });
    if (answer.counted.unmanagedPods.length > 0) reports.push(makeUnmanagedReport(budget));
    if (impossible !== undefined) {
      reports.push({ type: 'Warning', reason: 'ImpossibleBudget', message: impossible.message });
    }
    const again = plan.againAtMillis === undefined ? {} : { againAtMillis: plan.againAtMillis };
    return { status: plan.status, reports, notDeleted: plan.notDeleted, ...again };
  }

  /** Why a budget's selector selects nothing, judged once for each selector that it gets. */
  async #findFault(key: string, { metadata, spec }: PodDisruptionBudget): Promise<string | undefined> {
    const { generation } = metadata;
    const known = this.#judged.get(key);
    if (known !== undefined && known.generation === generation) return known.fault;
    const fault = await findSelectorFault(spec?.selector);
    this.#judged.set(key, { generation, fault });
    return fault;
  }

  #fail(budget: PodDisruptionBudget, fault: string, reason: string, text: string): BudgetCount {
    const status = planFailedStatus(budget, fault, this.#clock.now());
    return { status, reports: [{ type: 'Warning', reason, message: `${text}: ${fault}` }], notDeleted: [] };
  }

  #failCount(budget: PodDisruptionBudget, fault: string): BudgetCount {
    const text = 'Failed to calculate the number of expected pods';
    return this.#fail(budget, fault, 'CalculateExpectedPodCountFailed', text);
  }
}

function makeUnmanagedReport({ spec }: PodDisruptionBudget): BudgetReport {
  const message =
    `Pods selected by this PodDisruptionBudget (selector: ${formatGoSelector(spec?.selector)}) were found to be unmanaged. ` +
    'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';
  return { type: 'Warning', reason: 'UnmanagedPods', message };
}
