import type { AdmissionAttributes } from '../../../admission/admission-plugin.ts';
import { keepManagedFieldsTimes } from '../../../core/apply/keep-managed-fields-times.ts';
import { makeInvalid } from '../../../core/errors/make-field-error.ts';
import {
  makeBadRequestError,
  makeConflictError,
  makeInvalidError,
  makeNotFoundError,
} from '../../../core/errors/make-status-error.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import type { StatusError } from '../../../core/errors/status.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { checkPathSegmentName } from '../../../core/validation/names.ts';
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
  validatePlainFinalizers,
} from '../../../core/validation/object-meta.ts';
import { judgeUpdate } from '../../../kinds/judge-write.ts';
import type { WriteStrategy } from '../../../kinds/kind-definition.ts';
import { StoreConflict, type StoredObject } from '../../../platform/store/object-store.ts';
import { judgeAside } from '../../../platform/validation/judge-aside.ts';
import { prepareStored, prepareToStore } from './convert-stored.ts';
import { finishCreate } from './create-object.ts';
import { checkDefinedType } from './defined-type.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import type { PipelineServices } from './pipeline-services.ts';
import type { WriteParameters } from './query-parameters.ts';
import type { RequestContext } from './request-context.ts';
import { makeKey, type ResourceTarget } from './resource-target.ts';
import { decodeAs, encodeAgain, encodeFor, encodeStored, isStoredAsNow, type AnyObject } from './stored-encoding.ts';
import {
  encodeUnstored,
  makeAttributes,
  makeMetaRules,
  makeStrategyContext,
  METADATA_PATH,
  settleNamespace,
  type WriteResult,
} from './write-steps.ts';

/** A change of an existing object, whatever its form (PUT, patch, apply, a subresource). */
export interface UpdateRequest {
  readonly target: ResourceTarget;
  /** Absent for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string | undefined;
  readonly strategy: WriteStrategy<KubeObject>;
  readonly write: WriteParameters;
  /** Whether what does not exist is created. */
  readonly allowsCreate: boolean;
  /** The uid that the client expects; absent: any. */
  readonly expectedUid?: string;
  /**
   * Makes the object to store from the live one (`undefined`: there is none; never change it), managers recorded, under the
   * kind's own group. Called again when another write came in between.
   */
  produce(live: AnyObject | undefined): Promise<AnyObject> | AnyObject;
  /** What validating plugins see in place of the objects, where the subresource shows another kind (a Scale). */
  show?(
    object: AnyObject,
    live: AnyObject,
  ): Required<Pick<AdmissionAttributes, 'kind' | 'kindApiVersion' | 'object' | 'oldObject'>>;
}

const MODIFIED_MESSAGE = 'the object has been modified; please apply your changes to the latest version and try again';
/** So many other writes in a row mean a fault of ours; Kubernetes has no bound. */
const MAX_ATTEMPTS = 1000;
const MAX_UINT64 = 2n ** 64n - 1n;

/** Changes an object; repeats when another write came in between. Throws a StatusError for every refusal. */
export async function updateObject(
  services: PipelineServices,
  request: UpdateRequest,
  context: RequestContext,
): Promise<WriteResult> {
  const { target, name } = request;
  const key = makeKey(target.kind, request.namespace, name);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const stored = services.store.getLatest(key);
    if (stored === undefined) {
      if (!request.allowsCreate) throw makeNotFoundError(target.group, target.kind.plural, name);
      const created = await createMissing(services, request, context);
      if (created !== undefined) return created;
      continue;
    }
    try {
      return await replaceStored(services, request, stored, context);
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
  }
  throw makeConflictError(target.group, target.kind.plural, name, MODIFIED_MESSAGE);
}

/** Creates what the update did not find; `undefined` when somebody else did meanwhile. */
async function createMissing(
  services: PipelineServices,
  request: UpdateRequest,
  context: RequestContext,
): Promise<WriteResult | undefined> {
  const { target, name, namespace } = request;
  const object = await request.produce(undefined);
  if ((object.metadata.uid ?? '') !== '') {
    const fault = `uid mismatch: the provided object specified uid ${object.metadata.uid}, and no existing object was found`;
    throw makeConflictError(target.group, target.kind.plural, name, fault);
  }
  settleNamespace(target, namespace, object);
  await context.authorizeCreate?.();
  const key = makeKey(target.kind, namespace, name);
  try {
    return await finishCreate(
      services,
      { target, namespace, object, write: request.write, subresource: request.subresource, allowsVersion: true },
      context,
    );
  } catch (error) {
    if (services.store.getLatest(key) !== undefined) return undefined;
    throw error;
  }
}

function makeVersionMissingError({ target, name }: UpdateRequest): StatusError {
  const fault = makeInvalid(METADATA_PATH.child('resourceVersion'), 0, 'must be specified for an update');
  return makeInvalidError(target.group, target.kind.plural, name, [fault]);
}

function checkVersion(request: UpdateRequest, object: AnyObject, stored: StoredObject): void {
  const { target, name } = request;
  const given = object.metadata.resourceVersion ?? '';
  if (given === '' || given === '0') {
    if (request.target.kind.strategy.allowUnconditionalUpdate === false) {
      throw makeVersionMissingError(request);
    }
    object.metadata.resourceVersion = String(stored.revision);
    return;
  }
  const fault = !/^\d+$/.test(given) ? 'invalid syntax' : BigInt(given) > MAX_UINT64 ? 'value out of range' : undefined;
  if (fault !== undefined) throw makeBadRequestError(`strconv.ParseUint: parsing ${quoteGo(given)}: ${fault}`);
  if (given !== String(stored.revision)) {
    throw makeConflictError(target.group, target.kind.plural, name, MODIFIED_MESSAGE);
  }
}

/** Carries over what an update may not change, and lets the strategy prepare the rest. */
function prepareUpdate(services: PipelineServices, request: UpdateRequest, object: AnyObject, live: AnyObject): void {
  const { metadata } = object;
  if (live.metadata.generation === undefined) delete metadata.generation;
  else metadata.generation = live.metadata.generation;
  request.strategy.prepareForUpdate(object, live, makeStrategyContext(services));
  const fields = request.target.kind.strategy.generationFields;
  if (fields?.some((field) => !deepEqual(object[field], live[field])) === true) {
    metadata.generation = (live.metadata.generation ?? 0) + 1;
  }
  // A dry run shows it as it was sent; it is never stored.
  if (!request.write.dryRun) delete metadata.selfLink;
  metadata.uid ||= live.metadata.uid ?? '';
  if (live.metadata.creationTimestamp) metadata.creationTimestamp = live.metadata.creationTimestamp;
  if (live.metadata.deletionTimestamp !== undefined) metadata.deletionTimestamp = live.metadata.deletionTimestamp;
  if (live.metadata.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= live.metadata.deletionGracePeriodSeconds;
  }
}

async function validateUpdate(
  services: PipelineServices,
  request: UpdateRequest,
  object: AnyObject,
  live: AnyObject,
  context: RequestContext,
): Promise<void> {
  const { kind, group } = request.target;
  checkDefinedType(kind, object);
  const strategyContext = makeStrategyContext(services);
  const judgement =
    request.strategy === kind.strategy || request.strategy === kind.strategy.status
      ? await judgeAside(kind, {
          object,
          old: live,
          isStatus: request.strategy === kind.strategy.status,
          context: strategyContext,
        })
      : judgeUpdate(request.strategy, object, live, strategyContext);
  const { metadata } = object;
  const rules = makeMetaRules(kind);
  const common = { namespaced: kind.namespaced, allowsPlainFinalizers: true, validateName: checkPathSegmentName };
  const changeFaults = validateObjectMetaUpdate(metadata, live.metadata, METADATA_PATH);
  // Kubernetes checks metadata in general, then once more with each kind, and lists what it finds every time.
  const repeated = (request.strategy.repeatedChecks ?? ['change']).flatMap((check) =>
    check === 'object'
      ? validateObjectMeta(metadata, rules, METADATA_PATH)
      : [...changeFaults, ...validatePlainFinalizers(metadata, rules, METADATA_PATH)],
  );
  const faults = [
    ...validateObjectMeta(metadata, common, METADATA_PATH),
    ...changeFaults,
    ...repeated,
    ...judgement.faults,
  ];
  for (const text of judgement.excused ?? []) context.warn(text);
  if (faults.length > 0) throw makeInvalidError(group, kind.kind, request.name, faults);
  for (const text of judgement.warnings) context.warn(text);
}

/** Whether the write took the last finalizer off an object that only waited for it. */
function isReleased(services: PipelineServices, request: UpdateRequest, object: AnyObject, live: AnyObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || live.metadata.deletionTimestamp === undefined) return false;
  if ((live.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  const hold = services.deletionHolds.get(`${request.target.kind.group}/${request.target.kind.plural}`);
  return hold?.isHeld(object) !== true;
}

async function replaceStored(
  services: PipelineServices,
  request: UpdateRequest,
  stored: StoredObject,
  context: RequestContext,
): Promise<WriteResult> {
  const { target, name, namespace, write } = request;
  await prepareStored(target.kind, [stored.value]);
  const live = decodeAs(target.kind, stored.value);
  if (request.expectedUid !== undefined && request.expectedUid !== live.metadata.uid) {
    const fault = `Precondition failed: UID in precondition: ${request.expectedUid}, UID in object meta: ${live.metadata.uid}`;
    const path = [target.kind.storedAs ?? target.kind.plural, namespace ?? '', name]
      .filter((part) => part !== '')
      .join('/');
    const shown = write.dryRun ? `/${path}` : `/registry/${path}`;
    const message = `StorageError: invalid object, Code: 4, Key: ${shown}, ResourceVersion: 0, AdditionalErrorMsg: ${fault}`;
    throw makeConflictError(target.group, target.kind.plural, name, message);
  }
  const object = await request.produce(live);
  settleNamespace(target, namespace, object);
  const attributes = makeAttributes(target, context, {
    operation: 'UPDATE',
    subresource: request.subresource,
    namespace,
    name,
    object,
    oldObject: live,
    dryRun: write.dryRun,
    options: write.given,
  });
  await services.admission.mutate(attributes, context);
  dropDuplicateOwners(object, true, context.warn);
  checkVersion(request, object, stored);
  prepareUpdate(services, request, object, live);
  await validateUpdate(services, request, object, live, context);
  const managedFields = keepManagedFieldsTimes(live, object);
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
  const shown = request.show === undefined ? attributes : { ...attributes, ...request.show(object, live) };
  await services.admission.validate(shown, context);
  return storeChanged(services, request, stored, object, live, attributes);
}

async function storeChanged(
  services: PipelineServices,
  request: UpdateRequest,
  stored: StoredObject,
  object: AnyObject,
  live: AnyObject,
  attributes: Parameters<PipelineServices['admission']['reserve']>[0],
): Promise<WriteResult> {
  const { target } = request;
  const { kind } = target;
  const version = String(stored.revision);
  if (isReleased(services, request, object, live)) {
    if (!request.write.dryRun) {
      await services.store.commit({
        type: 'delete',
        key: stored.key,
        expectedRevision: stored.revision,
        // Who watches sees it as it was: the write that let it go is never stored.
        encode: (revision) => encodeAgain(stored.value, live, kind, revision),
      });
    }
    return { object, bytes: encodeUnstored(target, object, version), created: false };
  }
  object.metadata.resourceVersion = version;
  // A write without effect is no write: same bytes, same resourceVersion, no event. What is stored as it no longer would be is rewritten.
  if (deepEqual(object, live) && isStoredAsNow(stored.value, kind)) {
    // The answer vouches for a state that may be another request's write, still on its way to the disk.
    await services.store.settle(stored);
    return { object: live, bytes: encodeFor(target, stored.value), created: false };
  }
  const reservation = await services.admission.reserve(attributes);
  if (request.write.dryRun) return { object, bytes: encodeUnstored(target, object, version), created: false };
  try {
    const converted = await prepareToStore(kind, object);
    const written = await services.store.commit({
      type: 'update',
      key: stored.key,
      expectedRevision: stored.revision,
      encode: (revision) => {
        object.metadata.resourceVersion = String(revision);
        return encodeStored(object, kind, revision, converted);
      },
    });
    reservation?.settle();
    return { object, bytes: encodeFor(target, written.value), created: false };
  } catch (error) {
    await reservation?.undo();
    throw error;
  }
}
