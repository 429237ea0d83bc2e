import type { UserInfo } from '../../../core/meta/user-info.ts';

/** An action on a resource. Empty strings never stand for "absent": an absent field does. */
export interface ResourceAttributes {
  readonly type: 'resource';
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or a special one such as `bind`. */
  readonly verb: string;
  /** The core group is the empty string. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent for cluster-scoped resources and for requests across all namespaces. */
  readonly namespace?: string;
  /** Absent for create, list, watch and deletecollection of no single name. */
  readonly name?: string;
}

/** An action on a path outside of resources, such as `/version`. */
export interface NonResourceAttributes {
  readonly type: 'non-resource';
  /** The HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

/** What somebody wants to do. */
export type AuthorizationAttributes = ResourceAttributes | NonResourceAttributes;

/** `reason` explains: which binding allows, or why nothing did (empty in the usual case, as in Kubernetes). */
export interface AuthorizationDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Decides whether somebody may do something. */
export interface Authorizer {
  /** Sees every role and binding whose write was acknowledged before the call. */
  authorize(user: UserInfo, attributes: AuthorizationAttributes): Promise<AuthorizationDecision>;
}
