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
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import { createControllerQueue } from '../controller-parts.ts';
import type { Controller, ControllerOptions } from '../controller-parts.ts';
import { AwaitingKinds } from './awaiting-kinds.ts';
import {
  findStoredPlace,
  isOwnerElsewhere,
  isServedInAnyVersion,
  judgeReference,
  listNamespaces,
} from './judge-reference.ts';
import { OwnerFollower } from './owner-follower.ts';
import { planCollection, type CollectionPlan, type JudgedReference, type OwnerState } from './plan-collection.ts';
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
/** How soon to look again at dependents that cannot be written, should no change of kinds tell of them before. */
const stuckDelayMillis = 10_000;
/** More references than these are judged in slices of time, one object after the other. */
const ownersAtOnce = 100;
/** So many owners that do not exist are looked for in other namespaces: recorders drop what is more. */
const maxMisplacedReports = 100;
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
  /** Objects of a kind that is not served, with an owner of such a kind, or with a dependent of such a kind to be let go. */
  readonly #awaitingKinds = new AwaitingKinds((uid) => this.#follower.graph.find(uid) !== undefined);
  #unsubscribe: (() => void) | undefined;

  constructor(options: GarbageCollectorOptions) {
    this.#options = options;
    this.#follower = new OwnerFollower({
      store: options.store,
      clock: options.clock,
      onLook: (uid) => {
        if (this.#mayBeGarbage(uid)) this.#queue.add(uid);
      },
      onFailure: (error) => options.logger.error({ err: error }, 'owners cannot be followed, trying again'),
    });
    this.#queue = createControllerQueue(options, 'garbage-collector', (uid) => this.#collect(uid), objectsAtOnce);
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#options.registry.subscribe(() => {
      for (const uid of this.#awaitingKinds.takeAll()) this.#queue.add(uid);
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
    const { awaits, owners } = tracked;
    if (awaits !== undefined || owners.length > ownersAtOnce || owners.some(isLeaving)) return true;
    const judge = this.#makeJudge(tracked);
    return owners.some((owner) => judge(owner) !== 'solid');
  }

  #makeJudge({ key }: TrackedObject): (reference: OwnerReference) => OwnerState {
    const { graph } = this.#follower;
    const namespace = findStoredPlace(this.#options.registry, key)?.namespace;
    const known = new Map<string, OwnerState>();
    return (reference) => {
      const state = judgeReference(this.#options, reference, namespace, known);
      if (state !== 'unknown-kind' || !graph.isGone(reference.uid)) return state;
      // That an owner was seen to go counts where its kind went too; it was never seen in a version that is not served.
      return isServedInAnyVersion(this.#options, reference) ? state : 'dangling';
    };
  }

  async #judge(
    tracked: TrackedObject,
    owners: readonly OwnerReference[],
    slices: EventLoopYield,
  ): Promise<JudgedReference[]> {
    const judge = this.#makeJudge(tracked);
    const judged: JudgedReference[] = [];
    for (const reference of owners) {
      if (slices.isDue()) await slices.pause();
      judged.push({ reference, state: judge(reference) });
    }
    return judged;
  }

  async #collect(uid: string): Promise<WorkResult | undefined> {
    const tracked = this.#follower.graph.find(uid);
    if (tracked === undefined) return undefined;
    const { registry, store } = this.#options;
    const { kinds } = registry;
    const slices = new EventLoopYield();
    const candidate = this.#find(tracked);
    if (candidate === undefined) {
      if (store.get(tracked.key) !== undefined && findStoredPlace(registry, tracked.key) === undefined) {
        this.#awaitingKinds.add(uid);
      }
      return undefined;
    }
    const { metadata } = candidate.object;
    const references = await this.#judge(tracked, metadata.ownerReferences ?? [], slices);
    // Whom a deletion waits for, or who waits for it, is to be said of the newest state.
    if (tracked.awaits !== undefined || references.some(({ state }) => state === 'waiting'))
      await this.#follower.sync();
    await this.#reportMisplaced(candidate, references);
    const dependents = this.#follower.graph.listDependents(uid);
    const plan = planCollection({ metadata, references, dependents });
    if (plan.action === 'await-kinds') {
      if (registry.kinds === kinds) this.#awaitingKinds.add(uid);
      else this.#queue.add(uid);
      return undefined;
    }
    try {
      return await this.#apply(plan, candidate);
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

  async #apply(plan: CollectionPlan, candidate: Candidate): Promise<WorkResult | undefined> {
    switch (plan.action) {
      case 'keep':
      case 'await-kinds':
        break;
      case 'set-owners':
        await this.#setOwners(candidate, plan.owners);
        break;
      case 'delete':
        await this.#delete(candidate, plan.propagationPolicy, plan.unblocked);
        break;
      case 'release':
        await this.#write(candidate, { finalizers: [...plan.finalizers] });
        break;
      case 'orphan':
        return this.#letAllGo(candidate, plan.dependents);
    }
    return undefined;
  }

  /** Takes the references to an owner off its dependents; throws what the first of them says that refuses, after all were tried. */
  async #letAllGo(owner: Candidate, dependents: readonly TrackedObject[]): Promise<WorkResult | undefined> {
    const { uid = '' } = owner.object.metadata;
    const { registry } = this.#options;
    const { kinds } = registry;
    let written = 0;
    let failure: PromiseRejectedResult | undefined;
    for (let from = 0; from < dependents.length; from += objectsAtOnce) {
      const batch = dependents.slice(from, from + objectsAtOnce);
      const results = await Promise.allSettled(batch.map((dependent) => this.#letGo(dependent, owner)));
      written += results.filter((result) => result.status === 'fulfilled' && result.value).length;
      failure ??= results.find((result) => result.status === 'rejected');
    }
    if (failure !== undefined) throw failure.reason;
    if (written > 0 || registry.kinds !== kinds) {
      this.#queue.add(uid);
      return undefined;
    }
    this.#awaitingKinds.add(uid);
    return { againAfterMillis: stuckDelayMillis };
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

  /** Takes the references to an owner off a dependent; `false` when nothing was written. Throws a conflict when it changed meanwhile. */
  async #letGo(dependent: TrackedObject, owner: Candidate): Promise<boolean> {
    const candidate = this.#find(dependent);
    if (candidate === undefined) return false;
    const owners = candidate.object.metadata.ownerReferences ?? [];
    const left = owners.filter(({ uid }) => uid !== owner.object.metadata.uid);
    if (left.length === owners.length) return false;
    try {
      await this.#setOwners(candidate, left);
      return true;
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      return false;
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
    const slices = new EventLoopYield();
    for (const { reference } of lost.slice(0, maxMisplacedReports)) {
      if (!(await isOwnerElsewhere(this.#options, reference, namespaces, slices))) continue;
      const { apiVersion, kind, name, uid } = reference;
      const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
      const message = `ownerRef ${owner} does not exist in namespace ${quoteGo(namespace)}`;
      this.#options.events.record(object, 'Warning', 'OwnerRefInvalidNamespace', message);
    }
  }
}
