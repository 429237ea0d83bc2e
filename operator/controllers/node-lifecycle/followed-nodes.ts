import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import type { NodeObject } from '../../../kinds/core/node/node-object.ts';
import type { Toleration } from '../../../kinds/core/node/tolerations.ts';
import { readItems, readNumber, readText } from '../../../kinds/workloads/read-field.ts';
import { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import type { ControllerOptions } from '../controller-parts.ts';

/** Where nodes are. */
export const nodeResource: ResourceName = { group: '', version: 'v1', resource: 'nodes' };

/** As much of a pod as is needed to decide whether it may stay on its node. */
export interface PlacedPod extends KubeObject {
  readonly spec: { readonly nodeName: string; readonly tolerations: readonly Toleration[] };
  /** What its `Ready` says; empty when it has none. */
  readonly ready: string;
}

/** When a node's agent renewed its Lease; empty when that says nothing. */
interface NodeLease extends KubeObject {
  readonly renewTime: string;
}

function reduceNode(object: KubeObject): NodeObject {
  const { apiVersion, kind, spec, status } = object as NodeObject;
  const { managedFields: _managedFields, annotations: _annotations, ...metadata } = object.metadata;
  return {
    ...{ apiVersion, kind, metadata },
    spec: {
      ...(spec?.unschedulable === undefined ? {} : { unschedulable: spec.unschedulable }),
      ...(spec?.taints === undefined ? {} : { taints: spec.taints }),
    },
    ...(status?.conditions === undefined ? {} : { status: { conditions: status.conditions } }),
  };
}

function reducePod(object: KubeObject): PlacedPod {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = object.metadata;
  const generation = readNumber(object, 'metadata', 'generation');
  const ready = readItems(object, 'status', 'conditions').find(({ type }) => type === 'Ready');
  return {
    ...{ apiVersion: object.apiVersion, kind: object.kind },
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(generation === undefined ? {} : { generation }),
    },
    spec: {
      nodeName: readText(object, 'spec', 'nodeName'),
      tolerations: readItems(object, 'spec', 'tolerations'),
    },
    ready: ready === undefined ? '' : readText(ready, 'status'),
  };
}

function reduceLease(object: KubeObject): NodeLease {
  const { name, namespace } = object.metadata;
  return {
    ...{ apiVersion: object.apiVersion, kind: object.kind },
    metadata: { ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) },
    renewTime: readText(object, 'spec', 'renewTime'),
  };
}

/** The nodes, the Leases by which they tell that they live, and the pods by the node that they are on. Controllers share one. */
export class FollowedNodes {
  readonly nodes: CollectionIndex<NodeObject>;
  readonly pods: CollectionIndex<PlacedPod>;
  readonly #leases: CollectionIndex<NodeLease>;
  readonly #keysByNode = new Map<string, Set<string>>();

  constructor({ client, clock, logger }: ControllerOptions) {
    const follow = <T extends KubeObject>(
      resource: string,
      group: string,
      reduce: (object: KubeObject) => T,
      namespace?: string,
    ): CollectionIndex<T> =>
      new CollectionIndex<T>({
        ...{ client, clock, reduce },
        reference: { resource: { group, version: 'v1', resource }, ...(namespace === undefined ? {} : { namespace }) },
        onFailure: (error) => logger.warn({ resource, err: error }, 'following a collection failed, trying again'),
      });
    this.nodes = follow(nodeResource.resource, '', reduceNode);
    this.pods = follow('pods', '', reducePod);
    this.#leases = follow('leases', 'coordination.k8s.io', reduceLease, 'kube-node-lease');
    // First of all listeners, so that the others find what they are told of.
    this.pods.subscribe(({ key, object, previous }) => {
      if (previous !== undefined) this.#forget(key, readText(previous, 'spec', 'nodeName'));
      if (object !== undefined && object.spec.nodeName !== '') this.#note(key, object.spec.nodeName);
    });
  }

  /** Resolves when everything is known; may be called by everyone who shares it. */
  async start(): Promise<void> {
    await Promise.all([this.nodes.start(), this.#leases.start(), this.pods.start()]);
  }

  /** Resolves when nothing is followed any more, whoever else shared it. */
  async close(): Promise<void> {
    await Promise.all([this.nodes.close(), this.#leases.close(), this.pods.close()]);
  }

  /** When a node's Lease says that it was renewed; `undefined` when there is none. */
  findRenewTime(nodeName: string): string | undefined {
    return this.#leases.get(nodeName, 'kube-node-lease')?.renewTime || undefined;
  }

  /** The pods that are on a node. */
  listPods(nodeName: string): PlacedPod[] {
    return [...(this.#keysByNode.get(nodeName) ?? [])].flatMap((key) => this.findPod(key) ?? []);
  }

  /** The pod of a key such as `NAMESPACE/NAME`; `undefined` when there is none. */
  findPod(key: string): PlacedPod | undefined {
    const slash = key.indexOf('/');
    return this.pods.get(key.slice(slash + 1), key.slice(0, slash));
  }

  #note(key: string, nodeName: string): void {
    const keys = this.#keysByNode.get(nodeName);
    if (keys === undefined) this.#keysByNode.set(nodeName, new Set([key]));
    else keys.add(key);
  }

  #forget(key: string, nodeName: string): void {
    const keys = this.#keysByNode.get(nodeName);
    if (keys?.delete(key) === true && keys.size === 0) this.#keysByNode.delete(nodeName);
  }
}
