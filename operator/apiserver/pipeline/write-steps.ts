import type { AdmissionAttributes } from '../../../admission/admission-plugin.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeBadRequestError } from '../../../core/errors/make-status-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ResetFields } from '../../../core/apply/reset-fields.ts';
import type { ObjectMetaRules } from '../../../core/validation/object-meta.ts';
import type { StrategyContext } from '../../../kinds/kind-definition.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { isKnownKind } from './is-known-kind.ts';
import type { PipelineServices } from './pipeline-services.ts';
import type { RequestContext } from './request-context.ts';
import { encodeObject, renameGroup, type AnyObject } from './stored-encoding.ts';
import type { ResourceTarget } from './resource-target.ts';
import type { ExpectedKind } from './expected-kind.ts';

/** What a write answers: the object under the kind's own group, its bytes as the request's group shows it. */
export interface WriteResult {
  readonly object: AnyObject;
  readonly bytes: Buffer;
  /** Whether the object did not exist before. */
  readonly created: boolean;
}

export const METADATA_PATH: FieldPath = FieldPath.root('metadata');

const RESETS_STATUS: ResetFields = [['status']];
const RESETS_SPEC: ResetFields = [['spec']];

/** What strategies may know of now and here. */
export function makeStrategyContext(services: PipelineServices): StrategyContext {
  return { domain: services.registry.domain, nowMillis: services.now() };
}

/** What an endpoint of the target expects in a body. */
export function expectKind(services: PipelineServices, target: ResourceTarget): ExpectedKind {
  return {
    apiVersion: target.apiVersion,
    kind: target.kind.kind,
    schema: target.kind.schema,
    ...(target.kind.decode === undefined ? {} : { decode: target.kind.decode }),
    isServed: (group, version, kind) => isKnownKind(services.registry, group, version, kind),
    findKind: (group, version, kind) => services.registry.findByKind(group, version, kind),
  };
}

/** Puts an object of a request under the kind's own group, in place. */
export function toOwnGroup(target: ResourceTarget, object: AnyObject): AnyObject {
  if (target.isAlias) renameGroup(object, target.apiVersion, target.kind.apiVersion);
  return object;
}

/** Fields that a way of writing never changes, for the record of managers: what the strategy says of them, else status or spec. */
export function findResetFields(target: ResourceTarget, subresource: string | undefined): ResetFields | undefined {
  const { strategy } = target.kind;
  if (strategy.status === undefined) return subresource === undefined ? strategy.resetFields : undefined;
  if (subresource === undefined) return strategy.resetFields ?? RESETS_STATUS;
  return subresource === 'status' ? (strategy.status.resetFields ?? RESETS_SPEC) : undefined;
}

/** Fills an absent namespace from the URL. Throws 400 when the object names another one. */
export function settleNamespace(target: ResourceTarget, namespace: string | undefined, object: KubeObject): void {
  const requested = target.kind.namespaced ? (namespace ?? '') : '';
  const named = object.metadata.namespace ?? '';
  if (named === requested && requested !== '') return;
  if (requested === '') {
    delete object.metadata.namespace;
  } else if (named === '') {
    object.metadata.namespace = requested;
  } else {
    throw makeBadRequestError('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** Throws 400 when the object's name is not the one in the URL. */
export function checkName(object: KubeObject, name: string): void {
  const named = object.metadata.name ?? '';
  if (named === name) return;
  if (named === '') {
    throw makeBadRequestError(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  throw makeBadRequestError(`the name of the object (${named}) does not match the name on the URL (${name})`);
}

/** What the validation of metadata must know of a kind; names of a kind that declares none are DNS-1123 subdomains. */
export function makeMetaRules({ namespaced, strategy }: RegisteredKind): ObjectMetaRules {
  return {
    namespaced,
    ...(strategy.validateName ? { validateName: (name, prefix) => strategy.validateName?.(name, prefix) ?? [] } : {}),
    ...(strategy.allowsPlainFinalizers ? { allowsPlainFinalizers: true } : {}),
  };
}

const optionsKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/** Makes the attributes by which admission sees a request; the group is the kind's own, however it was addressed. */
export function makeAttributes(
  target: ResourceTarget,
  context: RequestContext,
  request: {
    readonly operation: keyof typeof optionsKinds;
    readonly subresource: string | undefined;
    readonly namespace: string | undefined;
    readonly name: string;
    readonly object?: KubeObject;
    readonly oldObject?: KubeObject;
    readonly dryRun: boolean;
    /** What the client gave of the operation's options. */
    readonly options: JsonObject;
    /** Group and version of the kind of the objects, and that kind, where they are not the target's. */
    readonly body?: { readonly apiVersion: string; readonly kind: string };
  },
): AdmissionAttributes {
  const { kind } = target;
  return {
    operation: request.operation,
    resource: { group: kind.group, version: kind.version, resource: kind.plural },
    kind: request.body?.kind ?? kind.kind,
    ...(request.body === undefined ? {} : { kindApiVersion: request.body.apiVersion }),
    ...(request.subresource === undefined ? {} : { subresource: request.subresource }),
    ...(kind.namespaced && request.namespace !== undefined ? { namespace: request.namespace } : {}),
    name: request.name,
    ...(request.object === undefined ? {} : { object: request.object }),
    ...(request.oldObject === undefined ? {} : { oldObject: request.oldObject }),
    dryRun: request.dryRun,
    user: context.user,
    ...(context.deadlineMillis === undefined ? {} : { deadlineMillis: context.deadlineMillis }),
    options: { kind: optionsKinds[request.operation], apiVersion: 'meta.k8s.io/v1', ...request.options },
  };
}

/** Encodes an object that was not stored (a dry run, or the last state of a deleted object) as the request's group shows it. */
export function encodeUnstored(target: ResourceTarget, object: AnyObject, resourceVersion: string | undefined): Buffer {
  const shown = target.isAlias ? { ...object, metadata: structuredClone(object.metadata) } : object;
  if (target.isAlias) renameGroup(shown as AnyObject, target.kind.apiVersion, target.apiVersion);
  return encodeObject(shown as AnyObject, target.kind.kind, target.apiVersion, resourceVersion);
}
