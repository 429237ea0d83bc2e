import type { UserInfo } from '../../../../core/meta/user-info.ts';
import type { AuthorizationAttributes } from '../../../../core/meta/authorization-attributes.ts';

/** One requirement of a selector in a review. */
export interface SelectorRequirement {
  key?: string;
  operator?: string;
  values?: string[];
}

/** A field or label selector in a review: a query, or requirements. */
export interface SelectorAttributes {
  rawSelector?: string;
  requirements?: SelectorRequirement[];
}

/** The action on a resource that a review asks about. */
export interface ReviewedResource {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: SelectorAttributes;
  labelSelector?: SelectorAttributes;
}

/** What the access reviews ask: one action, and (not of the self review) whose. */
export interface AccessReviewSpec {
  resourceAttributes?: ReviewedResource | null;
  nonResourceAttributes?: { path?: string; verb?: string } | null;
  user?: string;
  groups?: string[];
  uid?: string;
  extra?: Record<string, string[]>;
}

/** The user that a review asks about. */
export function readReviewedUser(spec: AccessReviewSpec): UserInfo {
  return {
    username: spec.user ?? '',
    groups: spec.groups ?? [],
    ...(spec.uid ? { uid: spec.uid } : {}),
    ...(spec.extra === undefined ? {} : { extra: spec.extra }),
  };
}

/** The action that a valid review asks about. */
export function readReviewedAttributes(spec: AccessReviewSpec): AuthorizationAttributes {
  const reviewed = spec.resourceAttributes ?? undefined;
  if (reviewed === undefined) {
    const { path = '', verb = '' } = spec.nonResourceAttributes ?? {};
    return { type: 'non-resource', path, verb };
  }
  const { verb = '', group = '', version, resource = '', subresource, namespace, name } = reviewed;
  return {
    type: 'resource',
    verb,
    group,
    version: version || '*',
    resource,
    ...(subresource ? { subresource } : {}),
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
  };
}
