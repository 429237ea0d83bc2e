import { hasReason } from '../../../core/errors/status.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatTime } from '../../../core/time/time.ts';
import type { NodeObject, Taint } from '../../../kinds/core/node/node-object.ts';
import type { NodeTaintKeys } from '../../../kinds/core/node/node-taint-keys.ts';
import { planTaintEviction, type TaintTimes } from '../../../kinds/core/node/plan-taint-eviction.ts';
import { podResource } from '../../../kinds/core/pod/pod-resource.ts';
import type { EventRecorder } from '../../../platform/kube/event-recorder.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import type { MonotonicClock } from '../../../platform/process/monotonic-clock.ts';
import { type CollectionChange, formatObjectKey } from '../../../platform/resources/collection-index.ts';
import { type Controller, type ControllerOptions, createControllerQueue } from '../controller-parts.ts';
import type { FollowedNodes, PlacedPod } from './followed-nodes.ts';
import type { NodeLifecycleMetrics } from './node-lifecycle-metrics.ts';

const podsAtOnce = 8;

/** What is remembered of a pod that a taint drives off. */
interface Departure {
  readonly uid: string | undefined;
  readonly since: TaintTimes;
  /** `undefined`: it stays for now. */
  readonly atMillis: number | undefined;
}

export interface TaintEvictionOptions extends ControllerOptions {
  /** For times that are tolerated, and rates: whatever is done to the machine's clock. */
  readonly monotonicClock: Pick<MonotonicClock, 'nowNanos'>;
  readonly followed: FollowedNodes;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly keys: NodeTaintKeys;
  readonly metrics: NodeLifecycleMetrics;
}

function listExecutionTaints(node: NodeObject | undefined): Taint[] {
  return (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

/** Deletes pods that do not tolerate, or no longer, a `NoExecute` taint of their node. */
export class TaintEvictionController implements Controller {
  readonly #options: TaintEvictionOptions;
  readonly #queue: WorkQueue;
  readonly #departures = new Map<string, Departure>();

  constructor(options: TaintEvictionOptions) {
    this.#options = options;
    this.#queue = createControllerQueue(options, 'taint-eviction', (key) => this.#judge(key), podsAtOnce);
    options.followed.nodes.subscribe((change) => this.#handleNode(change));
    options.followed.pods.subscribe((change) => this.#handlePod(change));
  }

  async start(): Promise<void> {
    await this.#options.followed.start();
  }

  async close(): Promise<void> {
    await this.#options.followed.close();
    await this.#queue.close();
  }

  /** Resolves when every pod that may have to go has been judged. */
  waitUntilIdle(): Promise<void> {
    return this.#queue.waitUntilIdle();
  }

  #handleNode({ key, object, previous }: CollectionChange<NodeObject>): void {
    if (deepEqual(listExecutionTaints(object), listExecutionTaints(previous))) return;
    for (const pod of this.#options.followed.listPods(key)) this.#queue.add(formatObjectKey(pod));
  }

  #handlePod({ key, object, previous }: CollectionChange<PlacedPod>): void {
    if (object === undefined) {
      this.#departures.delete(key);
      return;
    }
    if (previous !== undefined && deepEqual(object.spec, previous.spec)) return;
    const isTainted = listExecutionTaints(this.#findNode(object)).length > 0;
    if (isTainted || this.#departures.has(key)) this.#queue.add(key);
  }

  #nowMillis(): number {
    return this.#options.monotonicClock.nowNanos() / 1e6;
  }

  #findNode(pod: PlacedPod): NodeObject | undefined {
    return this.#options.followed.nodes.get(pod.spec.nodeName);
  }

  async #judge(key: string): Promise<WorkResult | undefined> {
    const { followed, keys } = this.#options;
    const pod = followed.findPod(key);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) {
      this.#departures.delete(key);
      return undefined;
    }
    const { uid } = pod.metadata;
    const known = this.#departures.get(key);
    const before = known?.uid === uid ? known : undefined;
    const node = this.#findNode(pod);
    const nowMillis = this.#nowMillis();
    // Of a node that is gone the pods go when they would have gone.
    const taints = listExecutionTaints(node);
    const plan =
      node === undefined && before !== undefined
        ? before
        : planTaintEviction(pod.spec.tolerations, taints, before?.since ?? new Map(), nowMillis, keys.prefix);
    const { since, atMillis } = plan;
    if (before?.atMillis !== undefined && atMillis === undefined) this.#tell(pod, 'Cancelling deletion of Pod');
    if (since.size === 0) this.#departures.delete(key);
    else this.#departures.set(key, { uid, since, atMillis });
    if (atMillis === undefined) return undefined;
    if (atMillis > nowMillis) return { againAfterMillis: atMillis - nowMillis };
    this.#tell(pod, 'Marking for deletion Pod');
    await this.#evict(pod);
    this.#options.metrics.noteDeletion(this.#nowMillis() - atMillis);
    return undefined;
  }

  /** Tells in the pod's status why it goes, and deletes it, with the time that it needs to end well. */
  async #evict({ metadata }: PlacedPod): Promise<void> {
    const { client, clock } = this.#options;
    const { name = '', namespace = '', uid = '', generation } = metadata;
    const reference = { resource: podResource, namespace, name };
    const condition = {
      type: 'DisruptionTarget',
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    };
    try {
      const pod = await client.get<KubeObject & { status?: { conditions?: Record<string, unknown>[] } }>(reference);
      const old = pod.status?.conditions?.find(({ type }) => type === condition.type);
      const isTold = old?.['status'] === 'True' && old['reason'] === condition.reason;
      if (!isTold) {
        const conditions = [{ ...condition, lastTransitionTime: formatTime(clock.now()) }];
        const patch = { metadata: { uid }, status: { conditions } };
        await client.patch(reference, 'application/strategic-merge-patch+json', patch, {}, 'status');
      }
      await client.delete(reference, { preconditions: { uid } });
    } catch (error) {
      // Gone, or another pod has its name by now.
      const isGone =
        hasReason(error, 'NotFound') || (hasReason(error, 'Conflict') && (await this.#isReplaced(metadata)));
      if (!isGone) throw error;
    }
  }

  async #isReplaced({ name = '', namespace = '', uid }: KubeObject['metadata']): Promise<boolean> {
    try {
      const pod = await this.#options.client.get({ resource: podResource, namespace, name });
      return pod.metadata.uid !== uid;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return true;
      throw error;
    }
  }

  #tell({ metadata }: PlacedPod, what: string): void {
    const message = `${what} ${metadata.namespace}/${metadata.name}`;
    this.#options.events.record({ apiVersion: 'v1', kind: 'Pod', metadata }, 'Normal', 'TaintManagerEviction', message);
  }
}
