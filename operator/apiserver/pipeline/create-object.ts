import { randomUUID } from 'node:crypto';
import {
  makeAlreadyExistsError,
  makeBadRequestError,
  makeForbiddenError,
  makeGenericNotFoundError,
  makeGenerateNameConflictError,
  makeInvalidError,
} from '../../../core/errors/make-status-error.ts';
import { hasReason, type StatusError } from '../../../core/errors/status.ts';
import type { ManagedFieldsEntry } from '../../../core/meta/kube-object.ts';
import { formatTime } from '../../../core/time/time.ts';
import { validateObjectMeta } from '../../../core/validation/object-meta.ts';
import { isConditionTrue } from '../../../kinds/apiextensions/custom-resource-definition/conditions.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { StoreConflict } from '../../../platform/store/object-store.ts';
import { judgeAside } from '../../../platform/validation/judge-aside.ts';
import { prepareToStore } from './convert-stored.ts';
import { checkDefinedType } from './defined-type.ts';
import { generateName } from './generate-name.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import type { PipelineServices } from './pipeline-services.ts';
import type { WriteParameters } from './query-parameters.ts';
import { recordManagers } from './record-managers.ts';
import type { RequestContext } from './request-context.ts';
import { makeKey, type ResourceTarget } from './resource-target.ts';
import { decodeStored, encodeFor, encodeStored, type AnyObject } from './stored-encoding.ts';
import {
  encodeUnstored,
  makeMetaRules,
  makeAttributes,
  makeStrategyContext,
  METADATA_PATH,
  settleNamespace,
  type WriteResult,
} from './write-steps.ts';

/** A decoded object to create; `object` is consumed. */
export interface CreateRequest {
  readonly target: ResourceTarget;
  /** Absent for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  /** Under the kind's own group, defaulted. */
  readonly object: AnyObject;
  /** The record of managers as the body had it, where decoding drops an empty list. */
  readonly requestedManagedFields?: readonly ManagedFieldsEntry[] | undefined;
  readonly write: WriteParameters;
}

const MAX_NAME_ATTEMPTS = 8;
const MAX_UINT64 = 2n ** 64n - 1n;

/** Clears what only the server may set. */
function wipeSystemFields(object: AnyObject): void {
  delete object.metadata.creationTimestamp;
  delete object.metadata.uid;
  delete object.metadata.deletionTimestamp;
  delete object.metadata.deletionGracePeriodSeconds;
  delete object.metadata.selfLink;
}

/** Creates an object: managers, admission, name, strategy, validation, store. Throws a StatusError for every refusal. */
export async function createObject(
  services: PipelineServices,
  request: CreateRequest,
  context: RequestContext,
): Promise<WriteResult> {
  const { target, object, namespace, write } = request;
  wipeSystemFields(object);
  settleNamespace(target, namespace, object);
  dropDuplicateOwners(object, false, context.warn);
  recordManagers(
    services,
    { target, subresource: undefined, live: undefined, next: object, requested: request.requestedManagedFields, write },
    context,
  );
  return finishCreate(services, { ...request, allowsVersion: false, subresource: undefined }, context);
}

/** What remains of a create once managers are recorded; also how an update or apply creates what does not exist. */
export interface FinishCreateRequest extends CreateRequest {
  readonly subresource: string | undefined;
  /** Whether a resourceVersion in the object is ignored instead of refused. */
  readonly allowsVersion: boolean;
}

/** Admits, names, prepares, validates and stores a new object. */
export async function finishCreate(
  services: PipelineServices,
  request: FinishCreateRequest,
  context: RequestContext,
): Promise<WriteResult> {
  const { target, object, namespace, write } = request;
  const { metadata } = object;
  checkDefinition(target.kind, metadata.name ?? '');
  const admission = {
    operation: 'CREATE',
    subresource: request.subresource,
    namespace: namespace ?? findOwnNamespace(target, object),
    object,
    dryRun: write.dryRun,
    options: write.given,
  } as const;
  await services.admission.mutate(
    makeAttributes(target, context, { ...admission, name: metadata.name ?? '' }),
    context,
  );
  dropDuplicateOwners(object, true, context.warn);
  const isGenerated = (metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '';
  for (let attempt = 1; ; attempt++) {
    metadata.uid = randomUUID();
    metadata.creationTimestamp = formatTime(services.now());
    if (isGenerated) metadata.name = generateName(metadata.generateName ?? '');
    else if (target.kind.strategy.namesUnnamed && (metadata.name ?? '') === '') metadata.name = randomUUID();
    await prepareAndValidate(services, target, object, context);
    const attributes = makeAttributes(target, context, { ...admission, name: metadata.name ?? '' });
    await services.admission.validate(attributes, context);
    if (!request.allowsVersion && !write.dryRun && isVersion(metadata.resourceVersion)) {
      throw makeBadRequestError('resourceVersion should not be set on objects to be created');
    }
    target.kind.strategy.fillStored?.(object);
    try {
      return await storeNew(services, request, attributes, isGenerated);
    } catch (error) {
      if (!isGenerated || !hasReason(error, 'AlreadyExists') || attempt === MAX_NAME_ATTEMPTS) throw error;
    }
  }
}

/** Throws 404 when the definition has gone since the request found its kind, and 403 when it is being removed by now. */
function confirmDefinition({ registry }: PipelineServices, target: ResourceTarget, name: string): void {
  const { definedBy, plural } = target.kind;
  if (definedBy === undefined) return;
  const current = registry.find(target.group, target.version, plural);
  if (current === undefined || current.definedBy?.metadata.uid !== definedBy.metadata.uid) {
    throw makeGenericNotFoundError();
  }
  checkDefinition(current, name);
}

/** Throws 403 for a kind whose definition is being removed, with its objects. */
function checkDefinition(kind: RegisteredKind, name: string): void {
  const { definedBy } = kind;
  if (definedBy === undefined || !isConditionTrue(definedBy, 'Terminating')) return;
  const fault = 'create not allowed while custom resource definition is terminating';
  throw makeForbiddenError(kind.group, kind.plural, name, fault);
}

/** Whether a text is the version of an object that exists; any other is no version, and ignored. */
function isVersion(text = ''): boolean {
  return /^\d+$/.test(text) && !/^0+$/.test(text) && BigInt(text) <= MAX_UINT64;
}

/** A Namespace is in itself, as Kubernetes' admission has it. */
function findOwnNamespace(target: ResourceTarget, object: AnyObject): string | undefined {
  return target.kind.namespaced ? object.metadata.namespace : undefined;
}

async function prepareAndValidate(
  services: PipelineServices,
  target: ResourceTarget,
  object: AnyObject,
  context: RequestContext,
): Promise<void> {
  const { strategy } = target.kind;
  const strategyContext = { ...makeStrategyContext(services), user: context.user };
  checkDefinedType(target.kind, object);
  strategy.prepareForCreate(object, strategyContext);
  if (strategy.generationFields !== undefined) object.metadata.generation = 1;
  const judgement = await judgeAside(target.kind, { object, context: strategyContext });
  const metadataFaults = validateObjectMeta(object.metadata, makeMetaRules(target.kind), METADATA_PATH);
  // A kind that does not look at metadata itself lets them be checked when it has found nothing else.
  const isFirst = strategy.repeatedChecks?.length !== 0 || judgement.faults.length === 0;
  const faults = [...(isFirst ? metadataFaults : []), ...judgement.faults];
  if (faults.length > 0) {
    throw makeInvalidError(target.group, target.kind.kind, object.metadata.name ?? '', faults);
  }
  for (const text of judgement.warnings) context.warn(text);
}

async function storeNew(
  services: PipelineServices,
  request: FinishCreateRequest,
  attributes: Parameters<PipelineServices['admission']['reserve']>[0],
  isGenerated: boolean,
): Promise<WriteResult> {
  const { target, object, namespace } = request;
  const { kind } = target;
  const key = makeKey(kind, namespace, object.metadata.name ?? '');
  // Reserving before the check would charge a quota for an object that is there already.
  if (services.store.getLatest(key) !== undefined) throw makeTakenError(services, request, key, isGenerated);
  const reservation = await services.admission.reserve(attributes);
  if (request.write.dryRun) {
    return { object, bytes: encodeUnstored(target, object, object.metadata.resourceVersion), created: true };
  }
  try {
    const converted = await prepareToStore(kind, object);
    // Nothing may be awaited between this and the commit, which takes the write's place in the order of all writes.
    services.admission.confirm(attributes);
    confirmDefinition(services, target, object.metadata.name ?? '');
    const stored = await services.store.commit({
      type: 'create',
      key,
      encode: (revision) => {
        object.metadata.resourceVersion = String(revision);
        return encodeStored(object, kind, revision, converted);
      },
    });
    reservation?.settle();
    return { object, bytes: encodeFor(target, stored.value), created: true };
  } catch (error) {
    await reservation?.undo();
    if (error instanceof StoreConflict) throw makeTakenError(services, request, key, isGenerated);
    throw error;
  }
}

function makeTakenError(
  services: PipelineServices,
  request: FinishCreateRequest,
  key: string,
  isGenerated: boolean,
): StatusError {
  const { target, object } = request;
  const name = object.metadata.name ?? '';
  const error = isGenerated
    ? makeGenerateNameConflictError(target.group, target.kind.plural, name, 1)
    : makeAlreadyExistsError(target.group, target.kind.plural, name);
  const current = services.store.getLatest(key);
  if (current !== undefined && decodeStored(current.value).metadata.deletionTimestamp !== undefined) {
    error.status.message = `object is being deleted: ${error.status.message}`;
  }
  return error;
}
