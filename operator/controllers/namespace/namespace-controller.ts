import { hasReason } from '../../../core/errors/status.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import { parseTime } from '../../../core/time/time.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import type { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import { getIfPresent } from '../../../platform/resources/get-if-present.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import { createControllerQueue, createIndex } from '../controller-parts.ts';
import type { Controller, ControllerOptions } from '../controller-parts.ts';
import { namespaceFinalizer, namespaceResource } from './namespace-object.ts';
import type { NamespaceObject } from './namespace-object.ts';
import { planNamespaceConditions } from './plan-namespace-conditions.ts';
import type { NamespaceContent } from './plan-namespace-conditions.ts';

/** How soon a namespace with content left is looked at again: often at first, then at leisure. */
const eagerMillis = 30_000;
const eagerDelayMillis = 500;
const laterDelayMillis = 5_000;

/** One large namespace must not hold up the others. */
const namespacesAtOnce = 4;

const nothing: NamespaceContent = { remaining: new Map(), finalizers: new Map(), faults: [] };

function isPods(resource: ResourceName): boolean {
  return resource.group === '' && resource.resource === 'pods';
}

/** What the controller needs. */
export interface NamespaceControllerOptions extends ControllerOptions {
  /** Every namespaced kind whose objects can be listed and deleted now. */
  readonly listResources: () => readonly ResourceName[];
  /** Deletes what others hold for a namespace, such as archives on nodes; throws while that cannot be done. Absent: nobody does. */
  readonly deleteHeld?: (namespace: string) => Promise<void>;
}

/** Empties terminating namespaces, kind by kind and pods first, and lets them go once nothing is left. */
export class NamespaceController implements Controller {
  readonly #client: ResourceClient;
  readonly #options: NamespaceControllerOptions;
  readonly #listResources: () => readonly ResourceName[];
  readonly #namespaces: CollectionIndex<NamespaceObject>;
  readonly #queue: WorkQueue;

  constructor(options: NamespaceControllerOptions) {
    this.#options = options;
    this.#client = options.client;
    this.#listResources = options.listResources;
    this.#namespaces = createIndex<NamespaceObject>(options, namespaceResource);
    this.#queue = createControllerQueue(options, 'namespace', (name) => this.#reconcile(name), namespacesAtOnce);
    this.#namespaces.subscribe(({ key, object }) => {
      if (object?.metadata.deletionTimestamp !== undefined) this.#queue.add(key);
    });
  }

  async start(): Promise<void> {
    await this.#namespaces.start();
  }

  async close(): Promise<void> {
    await this.#namespaces.close();
    await this.#queue.close();
  }

  async #reconcile(name: string): Promise<WorkResult | undefined> {
    const namespace = await this.#find(name);
    if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
    if (!(namespace.spec?.finalizers ?? []).includes(namespaceFinalizer)) return undefined;
    const content = await this.#deleteContent(name);
    await this.#writeConditions(namespace, content);
    // A request that was admitted just before the namespace was marked may have stored its object meanwhile: look once more.
    const isEmpty = content === nothing && (await this.#deleteContent(name)) === nothing;
    if (isEmpty) {
      await this.#removeFinalizer(name);
      return undefined;
    }
    const deletedMillis = parseTime(namespace.metadata.deletionTimestamp) ?? 0;
    const isEager = this.#options.clock.now() - deletedMillis < eagerMillis;
    return { againAfterMillis: isEager ? eagerDelayMillis : laterDelayMillis };
  }

  #find(name: string): Promise<NamespaceObject | undefined> {
    return getIfPresent<NamespaceObject>(this.#client, { resource: namespaceResource, name });
  }

  /** Deletes what can be deleted; other kinds wait for the pods, which may need them while they end. */
  async #deleteContent(namespace: string): Promise<NamespaceContent> {
    const remaining = new Map<string, number>();
    const finalizers = new Map<string, number>();
    const faults: string[] = [];
    const resources = this.#listResources();
    const inOrder = [...resources.filter(isPods), ...resources.filter((resource) => !isPods(resource))];
    for (const resource of inOrder) {
      try {
        const left = await this.#deleteKind(resource, namespace);
        if (left.length === 0) continue;
        remaining.set(`${resource.resource}.${resource.group}`, left.length);
        for (const finalizer of left.flat()) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
        if (isPods(resource)) break;
      } catch (error) {
        faults.push(error instanceof Error ? error.message : String(error));
      }
    }
    if (remaining.size === 0) await this.#deleteHeld(namespace, faults);
    return remaining.size === 0 && faults.length === 0 ? nothing : { remaining, finalizers, faults };
  }

  async #deleteHeld(namespace: string, faults: string[]): Promise<void> {
    try {
      await this.#options.deleteHeld?.(namespace);
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  }

  /** Deletes the objects of one kind; the finalizers of each that remains. */
  async #deleteKind(resource: ResourceName, namespace: string): Promise<string[][]> {
    const reference = { resource, namespace };
    const { items } = await this.#client.list(reference, { limit: 1 });
    if (items.length === 0) return [];
    await this.#client.deleteCollection(reference, {}, { propagationPolicy: 'Background' });
    const left = await this.#client.list(reference);
    return left.items.map((object) => object.metadata.finalizers ?? []);
  }

  async #writeConditions(namespace: NamespaceObject, content: NamespaceContent): Promise<void> {
    const conditions = planNamespaceConditions(namespace.status?.conditions ?? [], content, this.#options.clock.now());
    if (conditions === undefined) return;
    const name = namespace.metadata.name ?? '';
    const object: NamespaceObject = { ...namespace, status: { ...namespace.status, phase: 'Terminating', conditions } };
    try {
      await this.#client.update({ resource: namespaceResource, name }, object, {}, 'status');
    } catch (error) {
      // Somebody else wrote meanwhile: their change brings the namespace back into the queue.
      if (!hasReason(error, 'Conflict') && !hasReason(error, 'NotFound')) throw error;
    }
  }

  async #removeFinalizer(name: string): Promise<void> {
    const namespace = await this.#find(name);
    if (namespace === undefined) return;
    const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== namespaceFinalizer);
    const object: NamespaceObject = { ...namespace, spec: { ...namespace.spec, finalizers } };
    try {
      await this.#client.update({ resource: namespaceResource, name }, object, {}, 'finalize');
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }
}
