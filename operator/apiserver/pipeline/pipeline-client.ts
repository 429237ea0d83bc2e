import { makeGenericNotFoundError } from '../../../core/errors/make-status-error.ts';
import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { WriteStrategy } from '../../../kinds/kind-definition.ts';
import type {
  CollectionReference,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectList,
  ObjectReference,
  PatchOptions,
  PatchType,
  ResourceClient,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../../../platform/resources/resource-client.ts';
import { prepareStored } from './convert-stored.ts';
import { createObject } from './create-object.ts';
import { applyDefaults, decodeValue } from './decode-body.ts';
import { deleteCollection, deleteObject } from './delete-object.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import { getObject } from './get-object.ts';
import { listObjects } from './list-objects.ts';
import { wrapPatch } from './parse-patch.ts';
import { patchObject } from './patch-object.ts';
import type { PipelineServices } from './pipeline-services.ts';
import {
  checkListParameters,
  checkWriteParameters,
  type ListParameters,
  type WriteOperation,
} from './query-parameters.ts';
import { readRequestedManagers } from './record-managers.ts';
import { replaceObject } from './replace-object.ts';
import type { RequestContext } from './request-context.ts';
import { findTarget, type ResourceTarget } from './resource-target.ts';
import { findScale, patchScale, showScale, replaceScale } from './scale-object.ts';
import { decodeStoredFor, renameGroup, type AnyObject } from './stored-encoding.ts';
import { watchChanges } from './watch-changes.ts';
import { expectKind, makeStrategyContext, toOwnGroup } from './write-steps.ts';

/** Finds the strategy of a subresource that shows the whole object; `undefined` when there is none. */
export type StrategyFinder = (
  target: ResourceTarget,
  subresource: string | undefined,
  context: RequestContext,
) => WriteStrategy<KubeObject> | undefined;

function toWriteRequest(operation: WriteOperation, options: PatchOptions | undefined) {
  return checkWriteParameters(operation, {
    dryRun: options?.dryRun ?? [],
    fieldManager: options?.fieldManager ?? '',
    fieldValidation: options?.fieldValidation ?? '',
    force: options?.force,
  });
}

function toListParameters(options: (ListOptions & WatchOptions) | undefined, watch: boolean): ListParameters {
  return checkListParameters({
    watch,
    labelSelector: options?.labelSelector ?? '',
    fieldSelector: options?.fieldSelector ?? '',
    limit: options?.limit ?? 0,
    continue: options?.continue ?? '',
    resourceVersion: options?.resourceVersion ?? '',
    resourceVersionMatch: options?.resourceVersionMatch ?? '',
    sendInitialEvents: options?.sendInitialEvents,
    allowWatchBookmarks: options?.allowWatchBookmarks ?? false,
    timeoutSeconds: options?.timeoutSeconds ?? 0,
  });
}

/** The verbs of the pipeline as a ResourceClient in the name of one user. */
export class PipelineClient implements ResourceClient {
  readonly #services: PipelineServices;
  readonly #context: RequestContext;
  readonly #findStrategy: StrategyFinder;

  constructor(services: PipelineServices, context: RequestContext, findStrategy: StrategyFinder) {
    this.#services = services;
    this.#context = context;
    this.#findStrategy = findStrategy;
  }

  #target(reference: CollectionReference): ResourceTarget {
    const { group, version, resource } = reference.resource;
    const target = findTarget(this.#services.registry, group, version, resource);
    if (target === undefined) throw makeGenericNotFoundError();
    return target;
  }

  #strategy(target: ResourceTarget, subresource: string | undefined): WriteStrategy<KubeObject> {
    const strategy = this.#findStrategy(target, subresource, this.#context);
    if (strategy === undefined) throw makeGenericNotFoundError();
    return strategy;
  }

  #show<T extends KubeObject>(target: ResourceTarget, object: AnyObject): T {
    if (target.isAlias) renameGroup(object, target.kind.apiVersion, target.apiVersion);
    return object as unknown as T;
  }

  #decode(target: ResourceTarget, object: KubeObject): AnyObject {
    const decoded = toOwnGroup(target, decodeValue(object, expectKind(this.#services, target)));
    applyDefaults(decoded, target.kind.schema, target.kind.strategy, makeStrategyContext(this.#services));
    return decoded;
  }

  async get<T extends KubeObject>(reference: ObjectReference, options?: GetOptions, subresource?: string): Promise<T> {
    const target = this.#target(reference);
    const { namespace, name } = reference;
    const stored = getObject(this.#services, target, namespace, name, options?.resourceVersion);
    await prepareStored(target.kind, [stored.value]);
    const object = decodeStoredFor(target, stored.value);
    return (findScale(target, subresource) === undefined ? object : showScale(target, object)) as unknown as T;
  }

  async list<T extends KubeObject>(reference: CollectionReference, options?: ListOptions): Promise<ObjectList<T>> {
    const target = this.#target(reference);
    const parameters = toListParameters(options, false);
    const page = await listObjects(this.#services, { target, namespace: reference.namespace, parameters });
    const slices = new EventLoopYield();
    const items: T[] = [];
    for (const { value } of page.items) {
      await slices.pause();
      items.push(decodeStoredFor(target, value) as unknown as T);
    }
    return { metadata: page.metadata, items };
  }

  watch<T extends KubeObject>(reference: CollectionReference, options?: WatchOptions): AsyncIterable<WatchEvent<T>> {
    const target = this.#target(reference);
    const parameters = toListParameters(options, true);
    const request = { target, namespace: reference.namespace, parameters };
    return watchChanges<T>(this.#services, request, options?.signal);
  }

  async create<T extends KubeObject>(reference: CollectionReference, object: T, options?: WriteOptions): Promise<T> {
    const target = this.#target(reference);
    const request = {
      target,
      namespace: reference.namespace,
      object: this.#decode(target, object),
      requestedManagedFields: readRequestedManagers(target, object as unknown as JsonObject),
      write: toWriteRequest('create', options),
    };
    return this.#show(target, (await createObject(this.#services, request, this.#context)).object);
  }

  async update<T extends KubeObject>(
    reference: ObjectReference,
    object: T,
    options?: WriteOptions,
    subresource?: string,
  ): Promise<T> {
    const target = this.#target(reference);
    const write = toWriteRequest('update', options);
    const { namespace, name } = reference;
    if (findScale(target, subresource) !== undefined) {
      const raw = object as unknown as JsonObject;
      return (await replaceScale(
        this.#services,
        { target, namespace, name, raw, write },
        this.#context,
      )) as unknown as T;
    }
    const strategy = this.#strategy(target, subresource);
    const decoded = this.#decode(target, object);
    const requestedManagedFields = readRequestedManagers(target, object as unknown as JsonObject);
    const request = { target, namespace, name, subresource, strategy, object: decoded, requestedManagedFields, write };
    return this.#show(target, (await replaceObject(this.#services, request, this.#context)).object);
  }

  async patch<T extends KubeObject>(
    reference: ObjectReference,
    patchType: PatchType,
    patch: JsonValue,
    options?: PatchOptions,
    subresource?: string,
  ): Promise<T> {
    const target = this.#target(reference);
    const write = toWriteRequest(patchType, options);
    const { namespace, name } = reference;
    const parsed = wrapPatch(patchType, patch);
    if (findScale(target, subresource) !== undefined) {
      const request = { target, namespace, name, patch: parsed, write };
      return (await patchScale(this.#services, request, this.#context)) as unknown as T;
    }
    const strategy = this.#strategy(target, subresource);
    const request = { target, namespace, name, subresource, strategy, patch: parsed, write };
    return this.#show(target, (await patchObject(this.#services, request, this.#context)).object);
  }

  async delete<T extends KubeObject>(reference: ObjectReference, options?: DeleteOptions): Promise<T> {
    const target = this.#target(reference);
    const { namespace, name } = reference;
    const request = { target, namespace, name, options: options ?? {} };
    return this.#show(target, (await deleteObject(this.#services, request, this.#context)).object);
  }

  async deleteCollection(reference: CollectionReference, list?: ListOptions, options?: DeleteOptions): Promise<void> {
    const target = this.#target(reference);
    const request = { target, namespace: reference.namespace, parameters: toListParameters(list, false) };
    await deleteCollection(this.#services, request, options ?? {}, this.#context);
  }
}
