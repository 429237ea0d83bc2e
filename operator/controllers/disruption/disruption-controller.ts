import { hasReason } from '../../../core/errors/status.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import type { BudgetPod } from '../../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import { planFailedStatus } from '../../../kinds/policy/pod-disruption-budget/plan-budget-status.ts';
import type { PodDisruptionBudget } from '../../../kinds/policy/pod-disruption-budget/schema.ts';
import { podResource } from '../../../kinds/core/pod/pod-resource.ts';
import type { EventRecorder } from '../../../platform/kube/event-recorder.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import {
  type CollectionChange,
  type CollectionIndex,
  formatObjectKey,
  parseObjectKey,
} from '../../../platform/resources/collection-index.ts';
import type { FindScaledResource } from '../../../platform/scale/scale-sources.ts';
import { type Controller, type ControllerOptions, createControllerQueue, createIndex } from '../controller-parts.ts';
import { BudgetCounter } from './budget-counter.ts';
import { BudgetDependencies } from './budget-dependencies.ts';
import { BudgetMembers } from './budget-members.ts';
import { BudgetReports } from './budget-reports.ts';
import { FollowedWorkloads, type ScaleReads } from './followed-workloads.ts';
import { GonePods } from './gone-pods.ts';
import { type BudgetGate, HeldBudgets } from './held-budgets.ts';
import { isChanged, reducePod } from './reduce-objects.ts';
import { StaleDisruptions } from './stale-disruptions.ts';

/** What the controller needs. */
export interface DisruptionControllerOptions extends ControllerOptions {
  readonly events: Pick<EventRecorder, 'record'>;
  readonly findResource: FindScaledResource;
  /** Whether it follows pods even without budgets, and takes back conditions DisruptionTarget of pods that nobody deletes. */
  readonly clearsConditions: boolean;
  /** Absent: budgets are asked from the moment that they exist. */
  readonly gate?: BudgetGate;
}

type Status = PodDisruptionBudget['status'];

const budgets = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
const fieldManager = 'kube-controller-manager';
const concurrency = 16;
/** Nobody who makes counting slow keeps others waiting. */
const concurrencyOfNamespace = 4;
/** How often budgets are counted that depend on what tells nobody of its changes. */
const unwatchedMillis = 60_000;
/** After another's write, whose event brings the budget back at once as a rule. */
const conflictMillis = 1_000;

/**
 * Keeps the status of disruption budgets true: how many of their pods are expected, healthy and wanted, and how many may be disrupted. A change
 * of a pod or of a workload costs only the budgets that it concerns, changes that come while a budget is written are counted together,
 * and what says the same is not written.
 */
export class DisruptionController implements Controller {
  readonly #options: DisruptionControllerOptions;
  readonly #budgets: CollectionIndex<PodDisruptionBudget>;
  readonly #pods: CollectionIndex<BudgetPod>;
  readonly #workloads: FollowedWorkloads;
  readonly #stale: StaleDisruptions | undefined;
  readonly #members = new BudgetMembers();
  readonly #counter: BudgetCounter;
  readonly #dependencies = new BudgetDependencies();
  readonly #gone = new GonePods();
  readonly #reports: BudgetReports;
  /** Budgets to be counted. */
  readonly #queue: WorkQueue;
  /** Pods to be compared with the selectors of budgets. */
  readonly #changedPods: WorkQueue;
  /** Pods of the first list that were not compared yet. */
  readonly #firstPods = new Set<string>();
  /** What was written and not seen yet, by key, with the version that it replaced. */
  readonly #written = new Map<
    string,
    { readonly replaced: string | undefined; readonly budget: PodDisruptionBudget }
  >();
  readonly #held: HeldBudgets;
  #following: Promise<void> | undefined;
  #isListed = false;
  #isFollowed = false;
  #endFirstPods: (() => void) | undefined;
  #endHold: (() => void) | undefined;
  #isClosed = false;

  constructor(options: DisruptionControllerOptions) {
    this.#options = options;
    this.#reports = new BudgetReports(options.events);
    this.#held = new HeldBudgets(options.gate, options.clock);
    this.#budgets = createIndex<PodDisruptionBudget>(options, budgets);
    this.#pods = createIndex<BudgetPod>(options, podResource, undefined, reducePod);
    this.#stale = options.clearsConditions ? new StaleDisruptions(options) : undefined;
    const ownerOf = (key: string): string => parseObjectKey(key).namespace ?? '';
    const shares = { ownerOf, concurrencyOfOwner: concurrencyOfNamespace };
    this.#queue = createControllerQueue(options, 'disruption', (key) => this.#reconcile(key), concurrency, shares);
    // One after the other: nothing here waits but for its turn.
    this.#changedPods = createControllerQueue(options, 'disruption-pods', (key) => this.#compare(key), 1, { ownerOf });
    this.#workloads = new FollowedWorkloads(options, options.findResource, (workload) => {
      for (const key of this.#dependencies.list(workload)) this.#queue.add(key);
    });
    this.#counter = new BudgetCounter(options.clock, this.#workloads, this.#gone);
    this.#budgets.subscribe((change) => this.#handleBudget(change));
    this.#pods.subscribe((change) => this.#handlePod(change));
  }

  async start(): Promise<void> {
    this.#endHold = this.#held.follow((key) => this.#queue.add(key));
    // Pods that find the budgets there are compared with those few that may want them.
    await this.#budgets.start();
    if (this.#options.clearsConditions) this.#follow();
    await this.#following;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endHold?.();
    await this.#budgets.close();
    await this.#pods.close();
    await this.#workloads.close();
    this.#firstPods.clear();
    this.#endFirstPods?.();
    await this.#stale?.close();
    await this.#changedPods.close();
    await this.#queue.close();
  }

  /** Counts every budget anew that could not be counted: what is served has changed. */
  renewKinds(): void {
    for (const budget of this.#budgets.list()) {
      const isFailed = budget.status?.conditions?.some(({ reason }) => reason === 'SyncFailed');
      if (isFailed === true) this.#queue.add(formatObjectKey(budget));
    }
  }

  #follow(): void {
    if (this.#isClosed) return;
    this.#following ??= this.#startFollowing();
  }

  async #startFollowing(): Promise<void> {
    await Promise.all([this.#workloads.start(), this.#pods.start()]);
    if (this.#isClosed) return;
    this.#isListed = true;
    for (const pod of this.#pods.list()) this.#firstPods.add(formatObjectKey(pod));
    for (const key of this.#firstPods) this.#changedPods.add(key);
    while (this.#firstPods.size > 0) await new Promise<void>((resolve) => (this.#endFirstPods = resolve));
    this.#isFollowed = true;
  }

  #handleBudget({ key, object, previous }: CollectionChange<PodDisruptionBudget>): void {
    const { namespace = '' } = (object ?? previous)?.metadata ?? {};
    if (object === undefined) {
      this.#members.removeBudget(namespace, key);
      this.#dependencies.set(key, new Set(), namespace);
      this.#counter.forget(key);
      this.#reports.forget(key);
      this.#written.delete(key);
      this.#held.forget(key);
      return;
    }
    this.#follow();
    if (previous === undefined || !deepEqual(object.spec, previous.spec)) {
      this.#counter.forget(key);
      this.#workloads.noteChange(namespace);
      this.#members.setBudget(namespace, key, object.spec?.selector ?? undefined);
    }
    this.#queue.add(key);
  }

  #handlePod({ key, object, previous }: CollectionChange<BudgetPod>): void {
    if (object === undefined) {
      this.#gone.add(key, this.#options.clock.now());
      this.#stale?.forget(key);
    } else {
      if (previous !== undefined && !isChanged(object, previous)) return;
      this.#gone.delete(key);
      this.#stale?.look(key, object);
    }
    if (this.#isListed) this.#changedPods.add(key);
  }

  /** Finds the budgets that a changed pod concerns, which are to be counted anew. */
  async #compare(key: string): Promise<void> {
    const { namespace = '', name } = parseObjectKey(key);
    const pod = this.#pods.get(name, namespace);
    const concerned =
      pod === undefined ? await this.#members.removePod(namespace, key) : await this.#members.putPod(key, pod);
    this.#workloads.noteChange(namespace);
    if (this.#firstPods.delete(key) && this.#firstPods.size === 0) this.#endFirstPods?.();
    // Nothing has been counted before that.
    if (this.#isFollowed) for (const budget of concerned) this.#queue.add(budget);
  }

  /** The newest state that is known: what was written last comes back by the watch a little later. */
  #readBudget(key: string): PodDisruptionBudget | undefined {
    const { namespace, name } = parseObjectKey(key);
    const budget = this.#budgets.get(name, namespace);
    const written = this.#written.get(key);
    if (written === undefined) return budget;
    if (budget !== undefined && written.replaced === budget.metadata.resourceVersion) return written.budget;
    this.#written.delete(key);
    return budget;
  }

  async #reconcile(key: string): Promise<WorkResult | undefined> {
    await this.#following;
    const { namespace = '' } = parseObjectKey(key);
    await this.#members.complete(namespace, key);
    const selected = await this.#findPods(await this.#members.listPods(namespace, key));
    const budget = this.#readBudget(key);
    if (budget === undefined || this.#isClosed) return undefined;
    const heldMillis = this.#held.measureWait(key, budget);
    if (heldMillis > 0) return { againAfterMillis: heldMillis };
    const reads: ScaleReads = { workloads: new Set(), hasScales: false };
    const count = await this.#counter.count(key, budget, selected, reads);
    if (this.#budgets.get(parseObjectKey(key).name, namespace) === undefined) {
      this.#counter.forget(key);
      return undefined;
    }
    if (this.#isClosed) return undefined;
    this.#dependencies.set(key, reads.workloads, namespace);
    for (const podName of count.notDeleted) this.#reportNotDeleted(budget, podName);
    this.#reports.tell(key, budget, count.reports);
    if (count.status !== undefined && !(await this.#writeOrFail(key, budget, count.status))) {
      return { againAfterMillis: conflictMillis };
    }
    if (count.error !== undefined) throw count.error;
    const { clock } = this.#options;
    const { againAtMillis } = reads;
    const waits = [
      ...(reads.hasScales ? [unwatchedMillis] : []),
      ...(againAtMillis === undefined ? [] : [Math.max(1, againAtMillis - clock.now())]),
      ...(count.againAtMillis === undefined ? [] : [Math.max(1, count.againAtMillis - clock.now())]),
    ];
    return waits.length === 0 ? undefined : { againAfterMillis: Math.min(...waits) };
  }

  async #findPods(keys: readonly string[]): Promise<readonly BudgetPod[]> {
    const found: BudgetPod[] = [];
    const slices = new EventLoopYield();
    for (const key of keys) {
      if (slices.isDue()) await slices.pause();
      const { namespace, name } = parseObjectKey(key);
      const pod = this.#pods.get(name, namespace);
      if (pod !== undefined) found.push(pod);
    }
    return found;
  }

  #reportNotDeleted({ metadata }: PodDisruptionBudget, podName: string): void {
    const pod = this.#pods.get(podName, metadata.namespace);
    if (pod === undefined) return;
    const subject = { apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata };
    const message = `Pod was expected by PDB ${metadata.namespace ?? ''}/${metadata.name ?? ''} to be deleted but it wasn't`;
    this.#options.events.record(subject, 'Warning', 'NotDeleted', message);
  }

  /** As `#write`; what the server does not take must not leave a count in force that is not true any more. */
  async #writeOrFail(key: string, budget: PodDisruptionBudget, status: Status): Promise<boolean> {
    try {
      return await this.#write(key, budget, status);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const failed = planFailedStatus(budget, message, this.#options.clock.now());
      // Where that fails too, the first error tells more.
      if (failed !== undefined) await this.#write(key, budget, failed).catch(() => false);
      throw error;
    }
  }

  /** Whether it was written, or is gone; not so when somebody else was faster. */
  async #write(key: string, budget: PodDisruptionBudget, status: Status): Promise<boolean> {
    const { namespace = '', name } = parseObjectKey(key);
    const changed: PodDisruptionBudget = { ...budget, status };
    try {
      const written = await this.#options.client.update(
        { resource: budgets, namespace, name },
        changed,
        { fieldManager },
        'status',
      );
      this.#written.set(key, { replaced: budget.metadata.resourceVersion, budget: written });
      return true;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return true;
      if (!hasReason(error, 'Conflict')) throw error;
      this.#written.delete(key);
      return false;
    }
  }
}
