import { hasReason } from '../../../core/errors/status.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../../core/meta/kube-object.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import { getIfPresent } from '../../../platform/resources/get-if-present.ts';
import type { ObjectReference } from '../../../platform/resources/resource-client.ts';
import type { ObjectStore } from '../../../platform/store/object-store.ts';
import { decodeStored } from '../../apiserver/pipeline/stored-encoding.ts';
import { createControllerQueue } from '../controller-parts.ts';
import type { Controller, ControllerOptions } from '../controller-parts.ts';
import { findStoredPlace, isOwnerElsewhere, judgeReference, listNamespaces } from './judge-reference.ts';
import { OwnerFollower } from './owner-follower.ts';
import { planCollection, type CollectionPlan, type JudgedReference } from './plan-collection.ts';
import type { TrackedObject } from './tracked-object.ts';

/** What the collector needs. */
export interface GarbageCollectorOptions extends ControllerOptions {
  readonly store: ObjectStore;
  readonly registry: KindRegistry;
  /** Where it says what a person should see; an EventRecorder is one. */
  readonly events: {
    record(subject: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void;
  };
}

/** Deletions at once: what one commit may hold, so that many dependents share the wait for the disk. */
const objectsAtOnce = 64;
const conflictDelayMillis = 20;
const fieldManager = 'kube-controller-manager';

/** An object that may be garbage, as it is now. */
interface Candidate {
  readonly object: KubeObject;
  readonly reference: ObjectReference;
}

/**
 * Deletes what has lost its owners, lets dependents go where a deletion asks for orphans, and ends deletions in the foreground
 * once their dependents are gone, for every kind that is served ("Garbage Collection").
 */
export class GarbageCollector implements Controller {
  readonly #options: GarbageCollectorOptions;
  readonly #follower: OwnerFollower;
  readonly #queue: WorkQueue;
  /** Uids of objects with an owner of a kind that is not served. */
  readonly #awaitingKinds = new Set<string>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: GarbageCollectorOptions) {
    this.#options = options;
    this.#follower = new OwnerFollower({
      store: options.store,
      onLook: (uid) => {
        if (this.#mayBeGarbage(uid)) this.#queue.add(uid);
      },
      onFailure: (error) => options.logger.error({ err: error }, 'owners cannot be followed, trying again'),
    });
    this.#queue = createControllerQueue(options, 'garbage-collector', (uid) => this.#collect(uid), objectsAtOnce);
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#options.registry.subscribe(() => {
      for (const uid of this.#awaitingKinds) this.#queue.add(uid);
      this.#awaitingKinds.clear();
    });
    await this.#follower.start();
  }

  async close(): Promise<void> {
    this.#unsubscribe?.();
    await this.#follower.close();
    await this.#queue.close();
  }

  /** Resolves when everything that was acknowledged before the call, and what followed from it, has been dealt with. */
  async waitUntilIdle(): Promise<void> {
    for (let revision = -1; revision !== this.#options.store.revision;) {
      revision = this.#options.store.revision;
      await this.#follower.sync();
      await this.#queue.waitUntilIdle();
    }
  }

  /** A look without decoding: a new object whose owners all exist needs no more. */
  #mayBeGarbage(uid: string): boolean {
    const { graph } = this.#follower;
    const tracked = graph.find(uid);
    if (tracked === undefined) return false;
    const isLeaving = (owner: OwnerReference): boolean =>
      graph.isGone(owner.uid) || graph.find(owner.uid)?.awaits === 'dependents';
    if (tracked.awaits !== undefined || tracked.owners.some(isLeaving)) return true;
    return this.#judge(tracked, tracked.owners).some(({ state }) => state !== 'solid');
  }

  #judge({ key }: TrackedObject, owners: readonly OwnerReference[]): JudgedReference[] {
    const { registry } = this.#options;
    const namespace = findStoredPlace(registry, key)?.namespace;
    return owners.map((reference) => ({
      reference,
      state: this.#follower.graph.isGone(reference.uid)
        ? 'dangling'
        : judgeReference(this.#options, reference, namespace),
    }));
  }

  async #collect(uid: string): Promise<WorkResult | undefined> {
    const tracked = this.#follower.graph.find(uid);
    if (tracked === undefined) return undefined;
    const candidate = this.#find(tracked);
    if (candidate === undefined) return undefined;
    const { metadata } = candidate.object;
    const references = this.#judge(tracked, metadata.ownerReferences ?? []);
    // Whom a deletion waits for, or who waits for it, is to be said of the newest state.
    if (tracked.awaits !== undefined || references.some(({ state }) => state === 'waiting'))
      await this.#follower.sync();
    await this.#reportMisplaced(candidate, references);
    const dependents = this.#follower.graph.listDependents(uid);
    const plan = planCollection({ metadata, references, dependents });
    if (plan.action === 'await-kinds') this.#awaitingKinds.add(uid);
    try {
      await this.#apply(plan, candidate);
      return undefined;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      // Somebody else wrote meanwhile: what is there now decides.
      if (hasReason(error, 'Conflict')) return { againAfterMillis: conflictDelayMillis };
      throw error;
    }
  }

  /** The object as it is now; `undefined` when there is none with this uid, or its kind is not served. */
  #find({ uid, key }: TrackedObject): Candidate | undefined {
    const { store, registry } = this.#options;
    const place = findStoredPlace(registry, key);
    const stored = store.get(key);
    if (place === undefined || stored === undefined) return undefined;
    const object = decodeStored(stored.value);
    if (object.metadata.uid !== uid) return undefined;
    const { kind, name, namespace } = place;
    const resource = { group: kind.group, version: kind.version, resource: kind.plural };
    return { object, reference: { resource, name, ...(namespace === undefined ? {} : { namespace }) } };
  }

  async #apply(plan: CollectionPlan, candidate: Candidate): Promise<void> {
    switch (plan.action) {
      case 'keep':
      case 'await-kinds':
        return;
      case 'set-owners':
        await this.#setOwners(candidate, plan.owners);
        return;
      case 'delete':
        await this.#delete(candidate, plan.propagationPolicy, plan.unblocked);
        return;
      case 'release':
        await this.#write(candidate, { finalizers: [...plan.finalizers] });
        return;
      case 'orphan':
        for (let from = 0; from < plan.dependents.length; from += objectsAtOnce) {
          const batch = plan.dependents.slice(from, from + objectsAtOnce);
          await Promise.all(batch.map((dependent) => this.#letGo(dependent, candidate)));
        }
        this.#queue.add(candidate.object.metadata.uid ?? '');
        return;
    }
  }

  async #delete(
    { object, reference }: Candidate,
    propagationPolicy: 'Background' | 'Foreground' | 'Orphan',
    unblocked: readonly OwnerReference[] | undefined,
  ): Promise<void> {
    const { client } = this.#options;
    let { metadata } = object;
    if (unblocked !== undefined) metadata = (await this.#setOwners({ object, reference }, unblocked)).metadata;
    const { uid = '', resourceVersion = '' } = metadata;
    try {
      await client.delete(reference, { propagationPolicy, preconditions: { uid, resourceVersion } });
    } catch (error) {
      if (!hasReason(error, 'Conflict') || !(await this.#hasSameOwners(reference, metadata))) throw error;
      // Writes that have nothing to do with owners, one after the other, must not keep an object for ever.
      await client.delete(reference, { propagationPolicy, preconditions: { uid } });
    }
  }

  async #hasSameOwners(reference: ObjectReference, { uid, ownerReferences }: ObjectMeta): Promise<boolean> {
    const { metadata } = (await getIfPresent(this.#options.client, reference)) ?? {};
    return metadata?.uid === uid && deepEqual(metadata?.ownerReferences ?? [], ownerReferences ?? []);
  }

  /** Takes the references to an owner off a dependent. Throws a conflict when the dependent changed meanwhile. */
  async #letGo(dependent: TrackedObject, owner: Candidate): Promise<void> {
    const candidate = this.#find(dependent);
    if (candidate === undefined) return;
    const owners = candidate.object.metadata.ownerReferences ?? [];
    const left = owners.filter(({ uid }) => uid !== owner.object.metadata.uid);
    if (left.length === owners.length) return;
    try {
      await this.#setOwners(candidate, left);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  #setOwners(candidate: Candidate, owners: readonly OwnerReference[]): Promise<KubeObject> {
    return this.#write(candidate, {
      ownerReferences: owners.length === 0 ? null : owners.map((owner) => ({ ...owner })),
    });
  }

  /** Changes the metadata of an object that is still as it was read. Throws a conflict when it is not. */
  #write({ object, reference }: Candidate, changes: JsonObject): Promise<KubeObject> {
    const { uid = '', resourceVersion = '' } = object.metadata;
    const patch = { metadata: { uid, resourceVersion, ...changes } };
    return this.#options.client.patch(reference, 'application/merge-patch+json', patch, { fieldManager });
  }

  async #reportMisplaced({ object }: Candidate, references: readonly JudgedReference[]): Promise<void> {
    const { graph } = this.#follower;
    const lost = references.filter(
      ({ reference, state }) => (state === 'dangling' && !graph.isGone(reference.uid)) || state === 'misplaced',
    );
    if (lost.length === 0 || object.metadata.deletionTimestamp !== undefined) return;
    const namespaces = await listNamespaces(this.#options);
    const { namespace = '' } = object.metadata;
    for (const { reference } of lost) {
      if (!isOwnerElsewhere(this.#options, reference, namespaces)) continue;
      const { apiVersion, kind, name, uid } = reference;
      const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
      const message = `ownerRef ${owner} does not exist in namespace ${quoteGo(namespace)}`;
      this.#options.events.record(object, 'Warning', 'OwnerRefInvalidNamespace', message);
    }
  }
}
