import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import type { AdmissionAttributes } from '../../admission/admission-plugin.ts';
import type { KindRegistry, RegisteredKind } from '../../kinds/registry.ts';
import type { ReviewRequest } from './admission-review.ts';

function makeUser({ username = '', uid, groups = [], extra }: ReviewRequest['userInfo']): UserInfo {
  return { username, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

function renameObject<T extends KubeObject>(object: T, kind: RegisteredKind | undefined): T {
  return kind === undefined ? object : { ...object, apiVersion: kind.apiVersion };
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
  const { subResource = '', namespace = '', object, oldObject } = request;
  return {
    operation: request.operation,
    resource: { group: own?.group ?? group, version, resource },
    kind: request.kind.kind,
    ...(subResource === '' ? {} : { subresource: subResource }),
    ...(namespace === '' ? {} : { namespace }),
    name: request.name ?? '',
    ...(object === undefined ? {} : { object: renameObject(object, own) }),
    ...(oldObject === undefined ? {} : { oldObject: renameObject(oldObject, own) }),
    dryRun: request.dryRun === true,
    user: makeUser(request.userInfo),
  };
}
