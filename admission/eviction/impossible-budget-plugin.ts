import { deepEqual } from '../../core/meta/deep.ts';
import { formatLabelSelector } from '../../core/selectors/label-selector.ts';
import { type BudgetPod, findControllerReference } from '../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import { judgeImpossibleBudget } from '../../kinds/policy/pod-disruption-budget/judge-impossible-budget.ts';
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import { podResource } from '../../kinds/core/pod/pod-resource.ts';
import { type Clock, sleep } from '../../platform/process/clock.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { ScaleSource } from '../../platform/scale/find-controller-scale.ts';
import { gatherReplicas } from '../../platform/scale/gather-expected-pods.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionReport } from '../admission-plugin.ts';
import { budgetResource } from './budget-source.ts';

/** What the plugin needs. */
export interface ImpossibleBudgetPluginOptions {
  readonly domain: string;
  /** Lists the pods that a budget selects. */
  readonly client: ResourceClient;
  /** Where the controllers of these pods are looked up. */
  readonly scales: ScaleSource;
  readonly clock: Clock;
  /** Told when pods or controllers could not be read: then nothing is said of them. */
  readonly onFailure: (error: unknown) => void;
}

/** More than these are not looked at: the controller of budgets tells by an Event. */
const maxPods = 500;
const maxControllers = 10;
/** Nobody waits longer for a warning. */
const patienceMillis = 1_000;

/** Warns whoever applies a budget that can never allow an eviction, and so keeps its nodes from being drained. */
export class ImpossibleBudgetPlugin implements AdmissionPlugin {
  readonly name = 'ImpossibleBudget';
  readonly #options: ImpossibleBudgetPluginOptions;
  readonly #groups: ReadonlySet<string>;

  constructor(options: ImpossibleBudgetPluginOptions) {
    this.#options = options;
    this.#groups = new Set([budgetResource.group, `policy.${options.domain}`]);
  }

  handles({ operation, resource, subresource, object }: AdmissionAttributes): boolean {
    const isBudget = this.#groups.has(resource.group) && resource.resource === budgetResource.resource;
    return isBudget && subresource === undefined && object !== undefined && operation !== 'DELETE';
  }

  async validate({ namespace = '', object, oldObject }: AdmissionAttributes, report: AdmissionReport): Promise<void> {
    const { spec } = object as PodDisruptionBudget;
    const old = oldObject as PodDisruptionBudget | undefined;
    if (spec === undefined || (old !== undefined && deepEqual(spec, old.spec))) return;
    const impossible =
      judgeImpossibleBudget(spec, undefined) ?? judgeImpossibleBudget(spec, await this.#findReplicas(spec, namespace));
    if (impossible !== undefined) report.warn(`spec.${impossible.message}`);
  }

  /** How many replicas the controllers of the selected pods want; `undefined` when that cannot be told in time. */
  async #findReplicas(spec: PodDisruptionBudget['spec'], namespace: string): Promise<number | undefined> {
    // A number that may be missing is impossible by itself or not at all.
    if (spec.selector === undefined || spec.minAvailable === undefined) return undefined;
    const patience = new AbortController();
    try {
      return await Promise.race([
        this.#readReplicas(formatLabelSelector(spec.selector), namespace),
        sleep(this.#options.clock, patienceMillis, patience.signal).then(() => undefined),
      ]);
    } catch (error) {
      this.#options.onFailure(error);
      return undefined;
    } finally {
      patience.abort();
    }
  }

  async #readReplicas(labelSelector: string, namespace: string): Promise<number | undefined> {
    const { client, scales } = this.#options;
    const selection = { limit: maxPods, ...(labelSelector === '' ? {} : { labelSelector }) };
    const { items, metadata } = await client.list<BudgetPod>({ resource: podResource, namespace }, selection);
    if ((metadata.continue ?? '') !== '') return undefined;
    const controllers = new Set(items.map((pod) => findControllerReference(pod)?.uid));
    if (items.length === 0 || controllers.size > maxControllers) return undefined;
    return gatherReplicas(scales, namespace, items);
  }
}
