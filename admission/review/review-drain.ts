import { FieldPath } from '../../core/errors/field-path.ts';
import { makeInvalid } from '../../core/errors/make-field-error.ts';
import type { StatusError } from '../../core/errors/status.ts';
import type { BudgetPod } from '../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import { isSelectedBy } from '../../kinds/policy/pod-disruption-budget/select-budgets.ts';
import { isOfDaemonSet } from '../../kinds/review/eviction-review/plan-drain-filter.ts';
import { planDrain, type PlannedPod } from '../../kinds/review/eviction-review/plan-drain.ts';
import type { DrainedPod, EvictionReviewStatus } from '../../kinds/review/eviction-review/schema.ts';
import { podResource } from '../../kinds/core/pod/pod-resource.ts';
import { EventLoopYield } from '../../platform/process/event-loop-yield.ts';
import { getIfPresent } from '../../platform/resources/get-if-present.ts';
import { listAll, listPages } from '../list-all.ts';
import { refuseReview } from './refuse-review.ts';
import type { ReviewCall, ReviewedEvictions, ReviewServices } from './review-services.ts';

/** A question about evictions, and what answers it. */
export interface DrainReviewOptions {
  readonly services: ReviewServices;
  readonly evictions: ReviewedEvictions;
  readonly call: ReviewCall;
}

/** What a user may be told of a namespace. */
interface Disclosure {
  readonly pods: boolean;
  readonly budgets: boolean;
}

/** What is said of budgets to somebody who may not list them. */
export const unnamedBudget = 'a disruption budget of the namespace stands in the way';

const nodeResource = { group: '', version: 'v1', resource: 'nodes' };
const daemonSetResource = { group: 'apps', version: 'v1', resource: 'daemonsets' };
const maxPods = 1_000;
/** Of a pod and a budget that selects it. */
const maxPairs = 10_000;
/** Namespaces that are asked about at a time. */
const batchSize = 16;

/** The pods of a node; `undefined` when there are more than a review looks at. */
async function listPods({ client }: ReviewedEvictions, node: string): Promise<BudgetPod[] | undefined> {
  const pods: BudgetPod[] = [];
  const selection = { fieldSelector: `spec.nodeName=${node}` };
  for await (const page of listPages<BudgetPod>(client, { resource: podResource }, selection)) {
    pods.push(...page);
    if (pods.length > maxPods) return undefined;
  }
  return pods;
}

/** What `read` gives for each namespace, some of them at a time. */
async function readEach<T>(
  namespaces: readonly string[],
  read: (namespace: string) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  for (let start = 0; start < namespaces.length; start += batchSize) {
    const batch = namespaces.slice(start, start + batchSize);
    const values = await Promise.all(batch.map(async (namespace) => [namespace, await read(namespace)] as const));
    for (const [namespace, value] of values) found.set(namespace, value);
  }
  return found;
}

/** Runs a plan to its end, and lets others have their turn in between. */
async function runSlices<T>(steps: Generator<undefined, T>): Promise<T> {
  const slices = new EventLoopYield();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (slices.isDue()) await slices.pause();
  }
}

/** Those of the budgets that select a pod, by namespace; `undefined` when they and the pods make more pairs than a review looks at. */
async function listBinding(
  budgets: ReadonlyMap<string, readonly PodDisruptionBudget[]>,
  pods: readonly BudgetPod[],
): Promise<ReadonlyMap<string, readonly PodDisruptionBudget[]> | undefined> {
  const binding = new Map<string, Set<PodDisruptionBudget>>();
  const slices = new EventLoopYield();
  let pairs = 0;
  for (const pod of pods) {
    const { namespace = '' } = pod.metadata;
    const found = binding.get(namespace) ?? new Set();
    binding.set(namespace, found);
    for (const budget of budgets.get(namespace) ?? []) {
      if (slices.isDue()) await slices.pause();
      if (!isSelectedBy(pod, budget)) continue;
      found.add(budget);
      pairs += 1;
      if (pairs > maxPairs) return undefined;
    }
  }
  return new Map([...binding].map(([namespace, found]) => [namespace, [...found]]));
}

/** `undefined` when more budgets select the pods than a review looks at. */
async function planNode(
  { services, evictions }: DrainReviewOptions,
  pods: readonly BudgetPod[],
  namespaces: readonly string[],
): Promise<PlannedPod[] | undefined> {
  const { client } = evictions;
  const enforced = namespaces.filter((namespace) => services.isEnforced(namespace));
  const budgets = await readEach<readonly PodDisruptionBudget[]>(enforced, (namespace) =>
    evictions.budgets.list(namespace),
  );
  const binding = await listBinding(budgets, pods);
  if (binding === undefined) return undefined;
  const withDaemons = new Set(pods.filter(isOfDaemonSet).map(({ metadata }) => metadata.namespace ?? ''));
  const daemonSets = await readEach([...withDaemons], async (namespace) => {
    const found = await listAll(client, { resource: daemonSetResource, namespace });
    return new Set(found.map(({ metadata }) => metadata.name));
  });
  return runSlices(
    planDrain({
      pods,
      listBudgets: (namespace) => binding.get(namespace) ?? [],
      hasDaemonSet: (namespace, name) => daemonSets.get(namespace)?.has(name) === true,
      nowMillis: services.clock.now(),
    }),
  );
}

/** Whoever may list in all namespaces is asked about once. */
async function disclose(
  { evictions, call: { user } }: DrainReviewOptions,
  namespaces: readonly string[],
): Promise<ReadonlyMap<string, Disclosure>> {
  const [allPods, allBudgets] = await Promise.all([
    evictions.mayListObjects(user, 'pods'),
    evictions.mayListObjects(user, 'poddisruptionbudgets'),
  ]);
  return readEach(namespaces, async (namespace) => ({
    pods: allPods || (await evictions.mayListObjects(user, 'pods', namespace)),
    budgets: allBudgets || (await evictions.mayListObjects(user, 'poddisruptionbudgets', namespace)),
  }));
}

function describePod(planned: PlannedPod, { budgets: showsBudgets }: Disclosure): DrainedPod {
  const { pod, action, round, budgets, healthyNeeded, message, drainOptions } = planned;
  const isOfBudget = action === 'Never' || action === 'Wait';
  const shown = isOfBudget && !showsBudgets ? unnamedBudget : message;
  return {
    ...{ namespace: pod.metadata.namespace ?? '', name: pod.metadata.name ?? '', action },
    ...(round === undefined ? {} : { round }),
    ...(showsBudgets && budgets.length > 0 ? { budgets: [...budgets] } : {}),
    ...(healthyNeeded === undefined ? {} : { healthyNeeded }),
    ...(shown === undefined ? {} : { message: shown }),
    ...(drainOptions.length === 0 ? {} : { drainOptions: [...drainOptions] }),
  };
}

function countActions(planned: readonly PlannedPod[]): NonNullable<EvictionReviewStatus['unnamed']> {
  const count = (action: PlannedPod['action']): number => planned.filter((one) => one.action === action).length;
  return {
    evict: count('Evict'),
    wait: count('Wait'),
    never: count('Never'),
    terminating: count('Terminating'),
    ignore: count('Ignore'),
  };
}

function explainObstacles(planned: readonly PlannedPod[]): string | undefined {
  const { wait, never } = countActions(planned);
  const parts = [
    ...(wait === 0 ? [] : [wait === 1 ? '1 pod has to wait' : `${wait} pods have to wait`]),
    ...(never === 0 ? [] : [never === 1 ? '1 pod can never go' : `${never} pods can never go`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

/**
 * How a node could be drained; `undefined` when there is no such node. Throws a StatusError for one with more pods than are looked at.
 */
export async function reviewDrain(
  options: DrainReviewOptions,
  node: string,
): Promise<EvictionReviewStatus | undefined> {
  const { services, evictions, call } = options;
  const refuse = (detail: string): StatusError =>
    refuseReview(call, [makeInvalid(FieldPath.root('spec').child('node'), node, detail)]);
  const pods = await listPods(evictions, node);
  if (pods === undefined) throw refuse(`must have no more than ${maxPods} pods`);
  if (pods.length === 0) {
    const found = await getIfPresent(evictions.client, { resource: nodeResource, name: node });
    if (found === undefined) return undefined;
  }
  const namespaces = [...new Set(pods.map(({ metadata }) => metadata.namespace ?? ''))];
  const planned = await planNode(options, pods, namespaces);
  if (planned === undefined)
    throw refuse(`must have no more than ${maxPairs} pairs of a pod and a budget that selects it`);
  const disclosures = await disclose(options, namespaces);
  const find = ({ pod }: PlannedPod): Disclosure =>
    disclosures.get(pod.metadata.namespace ?? '') ?? { pods: false, budgets: false };
  const unnamed = planned.filter((one) => !find(one).pods);
  const reason = explainObstacles(planned);
  const matching = new Set(
    planned.flatMap(({ pod, budgets }) => budgets.map((name) => `${pod.metadata.namespace}/${name}`)),
  );
  return {
    allowed: reason === undefined,
    enforced: (namespaces.length === 0 ? [call.namespace] : namespaces).some((name) => services.isEnforced(name)),
    ...(reason === undefined ? {} : { reason }),
    matching: matching.size,
    rounds: Math.max(0, ...planned.map(({ round }) => round ?? 0)),
    pods: planned.filter((one) => find(one).pods).map((one) => describePod(one, find(one))),
    ...(unnamed.length === 0 ? {} : { unnamed: countActions(unnamed) }),
  };
}
