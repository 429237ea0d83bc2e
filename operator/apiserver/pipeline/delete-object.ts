import { makeConflictError, makeNotFoundError } from '../../../core/errors/make-status-error.ts';
import { hasReason } from '../../../core/errors/status.ts';
import type { Status } from '../../../core/errors/status.ts';
import { deepClone, deepEqual } from '../../../core/meta/deep.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { DeleteOptions } from '../../../platform/resources/resource-client.ts';
import { StoreConflict, type StoredObject } from '../../../platform/store/object-store.ts';
import { prepareStored, prepareToStore } from './convert-stored.ts';
import { listObjects, type ListRequest, type ObjectPage } from './list-objects.ts';
import type { PipelineServices } from './pipeline-services.ts';
import { planDeletion, settleOptions } from './plan-deletion.ts';
import { checkDeleteOptions } from './query-parameters.ts';
import type { RequestContext } from './request-context.ts';
import { makeKey, type ResourceTarget } from './resource-target.ts';
import { decodeAs, decodeStored, encodeAgain, encodeFor, encodeStored, type AnyObject } from './stored-encoding.ts';
import { encodeUnstored, makeAttributes } from './write-steps.ts';

/** Which object to delete, and how. */
export interface DeleteRequest {
  readonly target: ResourceTarget;
  /** Absent for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly options: DeleteOptions;
  /** Whether it goes with its collection: then admission is not told its name, as in Kubernetes. */
  readonly isCollected?: true;
}

/** What a deletion left. */
export interface DeleteResult {
  /** As it was last, or is now. */
  readonly object: AnyObject;
  /** As the request's group shows it. */
  readonly bytes: Buffer;
  /** Whether the object is gone; false while finalizers or a grace period hold it. */
  readonly removed: boolean;
}

const MAX_ATTEMPTS = 1000;
/** Deletions of a collection that wait for one commit together. */
const COLLECTION_BATCH = 64;

function checkPreconditions({ target, name, options }: DeleteRequest, live: AnyObject): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const { metadata } = live;
  if (uid !== undefined && uid !== metadata.uid) {
    const fault = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw makeConflictError(target.group, target.kind.kind, name, fault);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const fault = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw makeConflictError(target.group, target.kind.kind, name, fault);
  }
}

function warnOfDependents({ kind }: ResourceTarget, options: DeleteOptions, context: RequestContext): void {
  const text = kind.strategy.deletionWarning;
  const isSaid = options.propagationPolicy !== undefined || options.orphanDependents !== undefined;
  if (text !== undefined && !isSaid) context.warn(text);
}

/** Deletes an object, or marks it when something holds it. Throws a StatusError for every refusal. */
export async function deleteObject(
  services: PipelineServices,
  request: DeleteRequest,
  context: RequestContext,
): Promise<DeleteResult> {
  const { target, namespace, name } = request;
  checkDeleteOptions(request.options);
  if (request.isCollected !== true) warnOfDependents(target, request.options, context);
  const key = makeKey(target.kind, namespace, name);
  for (let attempt = 1; ; attempt++) {
    const stored = services.store.getLatest(key);
    if (stored === undefined) throw makeNotFoundError(target.group, target.kind.plural, name);
    try {
      return await deleteStored(services, request, stored, context);
    } catch (error) {
      if (!(error instanceof StoreConflict) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function deleteStored(
  services: PipelineServices,
  request: DeleteRequest,
  stored: StoredObject,
  context: RequestContext,
): Promise<DeleteResult> {
  const { target, namespace, name, options } = request;
  const { kind } = target;
  await prepareStored(kind, [stored.value]);
  const live = decodeAs(kind, stored.value);
  checkPreconditions(request, live);
  const dryRun = (options.dryRun ?? []).length > 0;
  const attributes = makeAttributes(target, context, {
    operation: 'DELETE',
    subresource: undefined,
    namespace,
    name: request.isCollected === true ? '' : name,
    oldObject: live,
    dryRun,
    options: options as JsonObject,
  });
  await services.admission.mutate(attributes, context);
  const settled = settleOptions(live, options, kind.strategy);
  // Whoever asks again for what is under way already changes nothing, and is not judged.
  if (settled === undefined) return { object: live, bytes: encodeFor(target, stored.value), removed: false };
  // A collection's options are those of many objects: they are shown as they came.
  const settledOptions = request.isCollected === true ? {} : (settled as JsonObject);
  const judged = { ...attributes, options: { ...attributes.options, ...settledOptions } };
  await services.admission.validate(judged, context);
  const hold = services.deletionHolds.get(`${kind.group}/${kind.plural}`);
  const plan = planDeletion(deepClone(live), options, {
    strategy: kind.strategy,
    hold,
    collectsGarbage: services.collectsGarbage,
    nowMillis: services.now(),
  });
  if (plan.action === 'keep') return { object: live, bytes: encodeFor(target, stored.value), removed: false };
  if (plan.action === 'remove') return remove(services, request, stored, live, dryRun);
  const marked = plan.object;
  if (dryRun) {
    const bytes = encodeUnstored(target, marked, String(stored.revision));
    return { object: marked, bytes, removed: plan.action === 'mark-and-remove' };
  }
  const isMarkedAlready = deepEqual(marked, live);
  const converted = isMarkedAlready ? undefined : await prepareToStore(kind, marked);
  const current = isMarkedAlready
    ? stored
    : await services.store.commit({
        type: 'update',
        key: stored.key,
        expectedRevision: stored.revision,
        encode: (revision) => {
          marked.metadata.resourceVersion = String(revision);
          return encodeStored(marked, kind, revision, converted);
        },
      });
  if (plan.action === 'mark') return { object: marked, bytes: encodeFor(target, current.value), removed: false };
  return remove(services, request, current, marked, false);
}

async function remove(
  services: PipelineServices,
  { target }: DeleteRequest,
  stored: StoredObject,
  object: AnyObject,
  dryRun: boolean,
): Promise<DeleteResult> {
  if (dryRun) return { object, bytes: encodeFor(target, stored.value), removed: true };
  const deleted = await services.store.commit({
    type: 'delete',
    key: stored.key,
    expectedRevision: stored.revision,
    encode: (revision) => {
      object.metadata.resourceVersion = String(revision);
      return encodeAgain(stored.value, object, target.kind, revision);
    },
  });
  return { object, bytes: encodeFor(target, deleted.value), removed: true };
}

/** The Status that answers a deletion of an object that is gone, for kinds that do not answer the object. */
export function makeDeletedStatus(target: ResourceTarget, object: AnyObject): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: object.metadata.name ?? '',
      ...(target.group === '' ? {} : { group: target.group }),
      kind: target.kind.plural,
      uid: object.metadata.uid ?? '',
    },
  } as Status;
}

/** Deletes every object that a list would show, at most `limit` when that is set; resolves to that list. Throws the first refusal. */
export async function deleteCollection(
  services: PipelineServices,
  request: ListRequest,
  options: DeleteOptions,
  context: RequestContext,
): Promise<ObjectPage> {
  checkDeleteOptions(options);
  const { target } = request;
  warnOfDependents(target, options, context);
  // All at once, as references to what is stored: page by page, each page would have to be made of what the deletions before it left.
  const page = await listObjects(services, request);
  for (let from = 0; from < page.items.length; from += COLLECTION_BATCH) {
    const batch = page.items.slice(from, from + COLLECTION_BATCH);
    await Promise.all(
      batch.map(async ({ value }) => {
        const { metadata } = decodeStored(value);
        try {
          const name = metadata.name ?? '';
          const reference = { target, namespace: metadata.namespace, name, options, isCollected: true as const };
          await deleteObject(services, reference, context);
        } catch (error) {
          if (!hasReason(error, 'NotFound')) throw error;
        }
      }),
    );
  }
  return page;
}
