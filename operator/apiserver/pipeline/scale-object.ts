import { applyConfiguration } from '../../../core/apply/apply-configuration.ts';
import { makeApplyRejection } from '../../../core/apply/make-apply-rejection.ts';
import { chooseFieldManager } from '../../../core/apply/choose-field-manager.ts';
import { fromScaleManagedFields, toScaleManagedFields } from '../../../core/apply/scale-managed-fields.ts';
import { updateManagedFields } from '../../../core/apply/update-managed-fields.ts';
import { decodeTyped } from '../../../core/decode/decode-typed.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { formatApiVersion } from '../../../core/meta/resource-name.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import { makeInvalid } from '../../../core/errors/make-field-error.ts';
import {
  makeApplyConflictError,
  makeBadRequestError,
  makeInternalError,
  makeInvalidError,
} from '../../../core/errors/make-status-error.ts';
import type { StatusError } from '../../../core/errors/status.ts';
import { deepClone } from '../../../core/meta/deep.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import type { ManagedFieldsEntry } from '../../../core/meta/kube-object.ts';
import type { ScaleDefinition } from '../../../kinds/kind-definition.ts';
import { applyPatch, handlePatchFaults, makePatchInvalidError } from './apply-patch.ts';
import type { ExpectedKind } from './expected-kind.ts';
import { findTypeFault } from './find-type-fault.ts';
import { isKnownKind } from './is-known-kind.ts';
import { handleApplyFaults, type ParsedPatch } from './parse-patch.ts';
import type { PipelineServices } from './pipeline-services.ts';
import type { WriteParameters } from './query-parameters.ts';
import type { RequestContext } from './request-context.ts';
import type { ResourceTarget } from './resource-target.ts';
import { formatSelector, readPath, splitFieldPath, writePath } from './scale-fields.ts';
import { SCALE_API_VERSION, SCALE_SCHEMA } from './scale-schema.ts';
import type { AnyObject } from './stored-encoding.ts';
import { updateObject } from './update-object.ts';
import { checkName, settleNamespace } from './write-steps.ts';

interface ScaleWrite {
  readonly target: ResourceTarget;
  /** Absent for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly write: WriteParameters;
}

/** How the target's scale is read and written; `undefined` when the subresource is another one, or the kind has no scale. */
export function findScale(target: ResourceTarget, subresource: string | undefined): ScaleDefinition | undefined {
  return subresource === 'scale' ? target.kind.scale : undefined;
}

/** What a write of a Scale starts from where the object says nothing of replicas: the smallest int32. */
const UNSET_REPLICAS = -(2 ** 31);

/** What an endpoint of a scale expects in a body. */
export function expectScale({ registry }: PipelineServices): ExpectedKind {
  return {
    apiVersion: SCALE_API_VERSION,
    kind: 'Scale',
    schema: SCALE_SCHEMA,
    isServed: (group, version, kind) => isKnownKind(registry, group, version, kind),
  };
}

function replicasPaths({ kind }: ResourceTarget, scale: ScaleDefinition): Record<string, string[]> {
  const { group, definedBy } = kind;
  const own = { [kind.apiVersion]: splitFieldPath(scale.specReplicasPath) };
  if (definedBy === undefined) return own;
  return Object.fromEntries(
    definedBy.spec.versions.map(({ name, subresources }) => {
      const path = subresources?.scale?.specReplicasPath;
      return [formatApiVersion(group, name), path === undefined ? [] : splitFieldPath(path)];
    }),
  );
}

/** The Scale of an object, for whoever asks for it. Throws a StatusError for an object of a defined kind that says nothing of replicas. */
export function showScale(target: ResourceTarget, object: AnyObject): AnyObject {
  const { scale, definedBy } = target.kind;
  if (definedBy !== undefined && scale !== undefined && readPath(object, scale.specReplicasPath) === undefined) {
    throw makeInternalError(`the spec replicas field ${quoteGo(`.${scale.specReplicasPath}`)} does not exist`);
  }
  return readScale(target, object);
}

/** The Scale of an object. Throws when the kind has none. */
function readScale(target: ResourceTarget, object: AnyObject): AnyObject {
  const scale = readManagedScale(target, object);
  // Who manages replicas matters to a write, but is not shown.
  delete scale.metadata.managedFields;
  return scale;
}

function readManagedScale(target: ResourceTarget, object: AnyObject): AnyObject {
  const { scale } = target.kind;
  if (scale === undefined) throw new Error(`kind ${target.kind.kind} has no scale`);
  const { metadata } = object;
  const managedFields = toScaleManagedFields(metadata.managedFields, replicasPaths(target, scale));
  const selector = scale.selectorPath === undefined ? '' : formatSelector(readPath(object, scale.selectorPath));
  const replicas = readPath(object, scale.specReplicasPath);
  return {
    kind: 'Scale',
    apiVersion: SCALE_API_VERSION,
    metadata: {
      ...(metadata.name === undefined ? {} : { name: metadata.name }),
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
      ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
      ...(metadata.creationTimestamp === undefined ? {} : { creationTimestamp: metadata.creationTimestamp }),
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: {
      replicas: readPath(object, scale.statusReplicasPath) ?? 0,
      ...(selector === '' ? {} : { selector }),
    },
  } as unknown as AnyObject;
}

function checkScale({ kind }: ResourceTarget, scale: AnyObject): number {
  const spec = isJsonObject(scale['spec']) ? scale['spec'] : {};
  const replicas = typeof spec['replicas'] === 'number' ? spec['replicas'] : 0;
  if (kind.definedBy !== undefined) {
    if (replicas !== UNSET_REPLICAS) return replicas;
    throw makeBadRequestError(
      `the spec replicas field ${quoteGo(`.${kind.scale?.specReplicasPath ?? ''}`)} cannot be empty`,
    );
  }
  if (replicas < 0) {
    const path = FieldPath.root('spec').child('replicas');
    const fault = makeInvalid(path, replicas, 'must be greater than or equal to 0');
    throw makeInvalidError('autoscaling', 'Scale', scale.metadata.name ?? '', [fault]);
  }
  return replicas;
}

function readWritableScale(target: ResourceTarget, object: AnyObject): AnyObject {
  const shown = readManagedScale(target, object);
  const path = target.kind.scale?.specReplicasPath;
  if (target.kind.definedBy !== undefined && path !== undefined && readPath(object, path) === undefined) {
    shown['spec'] = { replicas: UNSET_REPLICAS };
  }
  return shown;
}

/** Stores what `change` makes of the Scale of the live object, and returns the Scale then. */
async function updateScale(
  services: PipelineServices,
  request: ScaleWrite,
  change: (live: AnyObject) => { scale: AnyObject; managers: readonly ManagedFieldsEntry[] | undefined },
  context: RequestContext,
  expectedUid = '',
): Promise<AnyObject> {
  const { target, namespace, name, write } = request;
  const { scale: definition } = target.kind;
  if (definition === undefined) throw new Error(`kind ${target.kind.kind} has no scale`);
  const result = await updateObject(
    services,
    {
      target,
      namespace,
      name,
      subresource: 'scale',
      strategy: target.kind.strategy,
      write,
      allowsCreate: false,
      ...(expectedUid === '' ? {} : { expectedUid }),
      produce: (live) => {
        if (live === undefined) throw new Error('a scale is never created');
        const { scale, managers } = change(live);
        settleNamespace(target, namespace, scale);
        checkName(scale, name);
        const replicas = checkScale(target, scale);
        const next = deepClone(live);
        writePath(next, definition.specReplicasPath, replicas);
        const version = scale.metadata.resourceVersion ?? '';
        if (version !== '') next.metadata.resourceVersion = version;
        const paths = replicasPaths(target, definition);
        const kept = fromScaleManagedFields(live.metadata.managedFields, managers, paths, target.kind.apiVersion);
        if (kept === undefined) delete next.metadata.managedFields;
        else next.metadata.managedFields = kept;
        return next;
      },
      show: (object, live) => ({
        kind: 'Scale',
        kindApiVersion: SCALE_API_VERSION,
        object: readScale(target, object),
        oldObject: readScale(target, live),
      }),
    },
    context,
  );
  return readScale(target, result.object);
}

function makeUndecodableError(fault: string): StatusError {
  return makeBadRequestError(`Scale in version "v1" cannot be handled as a Scale: ${fault}`);
}

function decodeScale(value: JsonValue): AnyObject {
  const decoded = decodeTyped(value, SCALE_SCHEMA);
  if ('fault' in decoded) throw makeUndecodableError(decoded.fault);
  return completeScale(decoded.object);
}

function completeScale(decoded: JsonObject): AnyObject {
  const scale = decoded as AnyObject;
  if (!isJsonObject(scale.metadata)) scale.metadata = {};
  scale.kind = 'Scale';
  scale.apiVersion = SCALE_API_VERSION;
  return scale;
}

function recordScaleManagers(
  services: PipelineServices,
  live: AnyObject,
  next: AnyObject,
  write: WriteParameters,
  context: RequestContext,
): readonly ManagedFieldsEntry[] | undefined {
  return updateManagedFields({
    live,
    next,
    manager: chooseFieldManager(write.fieldManager, context.userAgent),
    apiVersion: SCALE_API_VERSION,
    subresource: 'scale',
    nowMillis: services.now(),
    schema: SCALE_SCHEMA,
  });
}

/** PUT of a Scale; `raw` is the body. Returns the Scale then. */
export async function replaceScale(
  services: PipelineServices,
  request: ScaleWrite & { readonly raw: JsonObject },
  context: RequestContext,
): Promise<AnyObject> {
  const sent = decodeScale(request.raw);
  return updateScale(
    services,
    request,
    (live) => {
      const scale = deepClone(sent);
      const shown = readWritableScale(request.target, live);
      return { scale, managers: recordScaleManagers(services, shown, scale, request.write, context) };
    },
    context,
    sent.metadata.uid,
  );
}

/** PATCH of a Scale. Returns the Scale then. */
export async function patchScale(
  services: PipelineServices,
  request: ScaleWrite & { readonly patch: ParsedPatch },
  context: RequestContext,
): Promise<AnyObject> {
  const { patch, write } = request;
  return updateScale(
    services,
    request,
    (live) => {
      const shown = readWritableScale(request.target, live);
      if (patch.type === 'application/apply-patch+yaml') return applyToScale(services, request, shown, context);
      const { value, shown: quoted } = applyPatch(patch, shown, SCALE_SCHEMA);
      const isStrategic = patch.type === 'application/strategic-merge-patch+json';
      const typeFault = isStrategic ? undefined : findTypeFault(value, expectScale(services));
      if (typeFault !== undefined) throw makePatchInvalidError(quoted(), typeFault.fault);
      const decoded = decodeTyped(value, SCALE_SCHEMA);
      if ('fault' in decoded) throw makePatchInvalidError(quoted(), decoded.fault);
      const faults = [...patch.strictFaults, ...decoded.strictFaults];
      handlePatchFaults(faults, quoted, write.fieldValidation, context.warn);
      const scale = completeScale(decoded.object);
      return { scale, managers: recordScaleManagers(services, shown, scale, write, context) };
    },
    context,
  );
}

function applyToScale(
  services: PipelineServices,
  { patch, write }: ScaleWrite & { readonly patch: ParsedPatch },
  shown: AnyObject,
  context: RequestContext,
): { scale: AnyObject; managers: readonly ManagedFieldsEntry[] | undefined } {
  const result = applyConfiguration({
    live: shown,
    applied: patch.value as JsonObject,
    manager: write.fieldManager,
    force: write.force,
    apiVersion: SCALE_API_VERSION,
    kind: 'Scale',
    subresource: 'scale',
    nowMillis: services.now(),
    schema: SCALE_SCHEMA,
  });
  if (result.outcome === 'conflict') throw makeApplyConflictError([...result.causes], result.message);
  if (result.outcome === 'rejected') throw makeApplyRejection(result);
  handleApplyFaults(patch, write.fieldValidation, context.warn);
  return { scale: decodeScale(result.object), managers: result.managedFields };
}
