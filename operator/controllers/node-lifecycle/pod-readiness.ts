import { podResource } from '../../../kinds/core/pod/pod-resource.ts';
import { hasReason } from '../../../core/errors/status.ts';
import { formatTime } from '../../../core/time/time.ts';
import type { EventRecorder } from '../../../platform/kube/event-recorder.ts';
import type { WorkQueue } from '../../../platform/kube/work-queue.ts';
import { formatObjectKey } from '../../../platform/resources/collection-index.ts';
import { type ControllerOptions, createControllerQueue } from '../controller-parts.ts';
import type { FollowedNodes, PlacedPod } from './followed-nodes.ts';

const podsAtOnce = 4;

export interface PodReadinessOptions extends ControllerOptions {
  readonly followed: FollowedNodes;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Whether a node is known not to be ready. */
  readonly isDown: (nodeName: string) => boolean;
}

/** Marks the pods of nodes that are not ready as not ready themselves, so that nobody sends them anything. */
export class PodReadiness {
  readonly #options: PodReadinessOptions;
  readonly #queue: WorkQueue;

  constructor(options: PodReadinessOptions) {
    this.#options = options;
    this.#queue = createControllerQueue(options, 'node-lifecycle-pods', (key) => this.#mark(key), podsAtOnce);
    options.followed.pods.subscribe(({ key, object, previous }) => {
      const nodeName = object?.spec.nodeName ?? '';
      if (nodeName !== '' && nodeName !== previous?.spec.nodeName && options.isDown(nodeName)) this.#queue.add(key);
    });
  }

  /** Marks every pod of a node, unless the node is ready again by then. */
  markAll(nodeName: string): void {
    for (const pod of this.#options.followed.listPods(nodeName)) this.#queue.add(formatObjectKey(pod));
  }

  /** Resolves when nothing waits to be marked. */
  waitUntilIdle(): Promise<void> {
    return this.#queue.waitUntilIdle();
  }

  /** Resolves when nothing runs any more. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  async #mark(key: string): Promise<void> {
    const { client, clock, events, followed, isDown } = this.#options;
    const pod = followed.findPod(key);
    if (pod === undefined || !isDown(pod.spec.nodeName)) return;
    if (pod.ready === '' || pod.ready === 'False') return;
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = pod.metadata;
    const lastTransitionTime = formatTime(clock.now());
    const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime }];
    const patch = { metadata: { uid, resourceVersion }, status: { conditions } };
    const reference = { resource: podResource, namespace, name };
    try {
      await client.patch(reference, 'application/strategic-merge-patch+json', patch, {}, 'status');
    } catch (error) {
      if (hasReason(error, 'NotFound')) return;
      // Its own agent may have spoken meanwhile: what it says is looked at first.
      throw error;
    }
    events.record(this.#name(pod), 'Warning', 'NodeNotReady', 'Node is not ready');
  }

  #name({ metadata }: PlacedPod) {
    return { apiVersion: 'v1', kind: 'Pod', metadata };
  }
}
