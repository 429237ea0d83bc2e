import type { AdmissionAttributes, AdmissionRequested } from '../../admission/admission-plugin.ts';
import { deepEqual } from '../../core/meta/deep.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { formatApiVersion } from '../../core/meta/resource-name.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import type { KindRegistry, RegisteredKind } from '../../kinds/registry.ts';
import type { ReviewRequest } from './admission-review.ts';

function makeUser({ username = '', uid, groups = [], extra }: ReviewRequest['userInfo']): UserInfo {
  return { username, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

function renameObject<T extends KubeObject>(object: T, kind: RegisteredKind | undefined): T {
  return kind === undefined ? object : { ...object, apiVersion: kind.apiVersion };
}

/** Everything but names and objects. */
function makeFacts(request: ReviewRequest): Omit<AdmissionAttributes, 'resource' | 'object' | 'oldObject'> {
  const { subResource = '', namespace = '', options } = request;
  return {
    operation: request.operation,
    kind: request.kind.kind,
    ...(subResource === '' ? {} : { subresource: subResource }),
    ...(namespace === '' ? {} : { namespace }),
    name: request.name ?? '',
    ...(options === undefined ? {} : { options }),
    dryRun: request.dryRun === true,
    user: makeUser(request.userInfo),
  };
}

/** What the client asked for; `undefined` where the host does not say, or asks about the same. */
function findRequested(request: ReviewRequest): AdmissionRequested | undefined {
  const { requestResource, requestKind, requestSubResource = '', resource, kind } = request;
  if (requestResource === undefined || requestKind === undefined) return undefined;
  if (deepEqual(requestResource, resource) && deepEqual(requestKind, kind)) return undefined;
  return {
    resource: requestResource,
    ...(requestSubResource === '' ? {} : { subresource: requestSubResource }),
    kind: requestKind.kind,
    kindApiVersion: formatApiVersion(requestKind.group, requestKind.version),
  };
}

/**
 * What the host asks about, as admission sees it: own kinds by the names that they have here, everything else as it is. `undefined` for the
 * host's built-in kinds whose names those are. Objects are shared with the review.
 */
export function makeReviewAttributes(registry: KindRegistry, request: ReviewRequest): AdmissionAttributes | undefined {
  const { group, version, resource } = request.resource;
  const kind = registry.find(group, version, resource);
  const isAlias = kind?.aliasGroup !== undefined && group === kind.aliasGroup;
  if (kind?.aliasGroup !== undefined && !isAlias) return undefined;
  const own = isAlias ? kind : undefined;
  const { object, oldObject } = request;
  return {
    ...makeFacts(request),
    resource: { group: own?.group ?? group, version, resource },
    ...(object === undefined ? {} : { object: renameObject(object, own) }),
    ...(oldObject === undefined ? {} : { oldObject: renameObject(oldObject, own) }),
  };
}

/** What the host asks about under the names that everything has at the host, and as what the client asked for it. Objects are shared with the review. */
export function makeHostAttributes(request: ReviewRequest): AdmissionAttributes {
  const { resource, kind, object, oldObject } = request;
  const requested = findRequested(request);
  const kindApiVersion = formatApiVersion(kind.group, kind.version);
  return {
    ...makeFacts(request),
    resource,
    ...(kindApiVersion === formatApiVersion(resource.group, resource.version) ? {} : { kindApiVersion }),
    ...(object === undefined ? {} : { object }),
    ...(oldObject === undefined ? {} : { oldObject }),
    ...(requested === undefined ? {} : { requested }),
  };
}
