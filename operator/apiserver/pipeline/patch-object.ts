import { applyConfiguration } from '../../../core/apply/apply-configuration.ts';
import { makeApplyRejection } from '../../../core/apply/make-apply-rejection.ts';
import {
  makeApplyConflictError,
  makeBadRequestError,
  makeNotFoundError,
} from '../../../core/errors/make-status-error.ts';
import type { StatusError } from '../../../core/errors/status.ts';
import { deepClone } from '../../../core/meta/deep.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { decodeObject } from '../../../kinds/decode-object.ts';
import type { WriteStrategy } from '../../../kinds/kind-definition.ts';
import { applyPatch, handlePatchFaults, makePatchInvalidError } from './apply-patch.ts';
import { applyDefaults } from './decode-body.ts';
import type { ExpectedKind } from './expected-kind.ts';
import { findDefinedTypeFault, readOwnType } from './defined-type.ts';
import { findTypeFault, type TypeFault } from './find-type-fault.ts';
import { handleApplyFaults, type ParsedPatch } from './parse-patch.ts';
import type { PipelineServices } from './pipeline-services.ts';
import type { WriteParameters } from './query-parameters.ts';
import { readRequestedManagers, recordManagers } from './record-managers.ts';
import type { RequestContext } from './request-context.ts';
import type { ResourceTarget } from './resource-target.ts';
import { renameGroup, type AnyObject } from './stored-encoding.ts';
import { listOtherApiVersions } from './stored-version.ts';
import { updateObject } from './update-object.ts';
import {
  checkName,
  expectKind,
  findResetFields,
  makeStrategyContext,
  toOwnGroup,
  type WriteResult,
} from './write-steps.ts';

/** A PATCH of an object or of a subresource that shows the whole object. */
export interface PatchRequest {
  readonly target: ResourceTarget;
  /** Absent for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string | undefined;
  readonly strategy: WriteStrategy<KubeObject>;
  readonly write: WriteParameters;
  readonly patch: ParsedPatch;
}

/** Patches an object; only a server-side apply creates what does not exist. Throws a StatusError for every refusal. */
export async function patchObject(
  services: PipelineServices,
  request: PatchRequest,
  context: RequestContext,
): Promise<WriteResult> {
  const isApply = request.patch.type === 'application/apply-patch+yaml';
  return updateObject(
    services,
    {
      target: request.target,
      namespace: request.namespace,
      name: request.name,
      subresource: request.subresource,
      strategy: request.strategy,
      write: request.write,
      allowsCreate: isApply && request.subresource === undefined,
      produce: (live) => {
        const object = isApply
          ? produceApplied(services, request, live, context)
          : producePatched(services, request, live, context);
        checkName(object, request.name);
        return object;
      },
    },
    context,
  );
}

/** The live object as the request's group shows it; a copy when that differs from what is stored. */
function showLive(target: ResourceTarget, live: AnyObject): AnyObject {
  if (!target.isAlias) return live;
  const shown = deepClone(live);
  renameGroup(shown, target.kind.apiVersion, target.apiVersion);
  return shown;
}

/** Checks that a patch left apiVersion and kind alone. A strategic merge patch is decoded into the kind whatever it says. */
function findPatchedTypeFault(value: JsonValue, expected: ExpectedKind): TypeFault | undefined {
  if (expected.decode === undefined) return findTypeFault(value, expected);
  const found = findDefinedTypeFault(value, expected);
  return found?.form === 'other-version' ? undefined : found;
}

function checkPatchedType(
  services: PipelineServices,
  { patch, target }: PatchRequest,
  value: JsonValue,
  shown: () => string,
): asserts value is JsonObject {
  const isStrategic = patch.type === 'application/strategic-merge-patch+json';
  const expected = expectKind(services, target);
  const found = isStrategic ? undefined : findPatchedTypeFault(value, expected);
  if (found !== undefined) throw makePatchInvalidError(shown(), found.fault);
  if (!isJsonObject(value)) throw makePatchInvalidError(shown(), 'the result is no object');
}

function producePatched(
  services: PipelineServices,
  request: PatchRequest,
  live: AnyObject | undefined,
  context: RequestContext,
): AnyObject {
  const { target, write, patch } = request;
  if (live === undefined) throw makeNotFoundError(target.group, target.kind.plural, request.name);
  const { value, shown } = applyPatch(patch, showLive(target, live), target.kind.schema);
  checkPatchedType(services, request, value, shown);
  const decoded = decodeObject(target.kind, value);
  if ('fault' in decoded) throw makePatchInvalidError(shown(), decoded.fault);
  const faults = [...patch.strictFaults, ...decoded.strictFaults];
  handlePatchFaults(faults, shown, write.fieldValidation, context.warn);
  const object = completeProduced(services, target, decoded.object);
  if (target.kind.definedBy !== undefined) Object.assign(object, readOwnType(value));
  recordManagers(
    services,
    { ...request, live, next: object, requested: readRequestedManagers(target, value) },
    context,
  );
  return object;
}

/** Puts a produced object under the kind's own group, and fills its defaults. */
function completeProduced(services: PipelineServices, target: ResourceTarget, decoded: JsonObject): AnyObject {
  const object = decoded as AnyObject;
  if (!isJsonObject(object.metadata)) object.metadata = {};
  object.kind = target.kind.kind;
  object.apiVersion = target.apiVersion;
  toOwnGroup(target, object);
  applyDefaults(object, target.kind.schema, target.kind.strategy, makeStrategyContext(services));
  return object;
}

/** 400 for an applied configuration with a value that its type cannot hold, though the schema could. */
function makeUnconvertibleError({ kind }: ResourceTarget, applied: JsonObject, fault: string): StatusError {
  const metadata = isJsonObject(applied['metadata']) ? applied['metadata'] : {};
  const name = `${String(metadata['namespace'] ?? '')}/${String(metadata['name'] ?? '')}`;
  const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
  const integer = /^json: cannot unmarshal number \S+ into .* of type (u?int\d+)$/.exec(fault)?.[1];
  const words = fault.startsWith('illegal base64') ? `error decoding from json: ${fault}` : fault;
  return makeBadRequestError(
    `failed to convert new object (${name}; ${type}) to proper version: unable to convert unstructured object to ${type}: ` +
      (integer === undefined ? words : `cannot convert float64 to ${integer}`),
  );
}

function produceApplied(
  services: PipelineServices,
  request: PatchRequest,
  live: AnyObject | undefined,
  context: RequestContext,
): AnyObject {
  const { target, write, subresource, patch } = request;
  const { kind } = target;
  let applied = patch.value as JsonObject;
  if (target.isAlias && applied['apiVersion'] === target.apiVersion) {
    applied = { ...applied, apiVersion: kind.apiVersion };
  }
  const resets = findResetFields(target, subresource);
  const result = applyConfiguration({
    live,
    applied,
    manager: write.fieldManager,
    force: write.force,
    apiVersion: kind.apiVersion,
    otherApiVersions: listOtherApiVersions(kind),
    kind: kind.kind,
    ...(subresource === undefined ? {} : { subresource }),
    nowMillis: services.now(),
    schema: kind.schema,
    ...(resets === undefined ? {} : { resetFields: resets }),
  });
  if (result.outcome === 'conflict') throw makeApplyConflictError([...result.causes], result.message);
  if (result.outcome === 'rejected') throw makeApplyRejection(result);
  handleApplyFaults(patch, write.fieldValidation, context.warn);
  // What is applied is never decoded by Kubernetes: its nulls are left to validation.
  const decoded = decodeObject(kind, result.object, { keepsNulls: true });
  if ('fault' in decoded) throw makeUnconvertibleError(target, applied, decoded.fault);
  const object = completeProduced(services, target, decoded.object);
  if (result.managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = result.managedFields;
  return object;
}
