import type { JsonObject } from '../../../core/meta/json.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { ValidatingAdmissionPolicyBinding } from '../validating-admission-policy-binding/schema.ts';
import type { ValidatingAdmissionPolicy } from '../validating-admission-policy/schema.ts';

/** Group, version and kind; the core group is the empty string. */
export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource and the kind of its objects, or of those of a subresource. */
export interface NamedKind {
  readonly resource: ResourceName;
  readonly kind: KindName;
}

/** One request as policies see it; plain data. */
export interface PolicyRequest extends NamedKind {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty where a name is still to be generated, and for what is deleted with its collection. */
  readonly name: string;
  /** Empty for cluster-scoped objects; of a Namespace its own name. */
  readonly namespace: string;
  /** Null for DELETE. */
  readonly object: JsonObject | null;
  /** Null for CREATE. */
  readonly oldObject: JsonObject | null;
  readonly options: JsonObject | null;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** What the client asked for, where a host converted the request; absent: what is above. */
  readonly requested?: NamedKind & { readonly subresource: string };
  /** Other groups and versions under which the same objects are served in the same shape. */
  readonly equivalents: readonly NamedKind[];
}

/** A policy with its bindings; both in the order of their names. */
export interface BoundPolicy {
  readonly policy: ValidatingAdmissionPolicy;
  readonly bindings: readonly ValidatingAdmissionPolicyBinding[];
}

/** Budgets of Kubernetes, in units of cost. */
export const expressionCostLimit = 1_000_000;
export const evaluationCostLimit = 10_000_000;
export const matchConditionsCostLimit = 2_500_000;

/** Whether the request is about a Namespace itself. */
export function isNamespaceRequest({ resource }: NamedKind): boolean {
  return resource.group === '' && resource.resource === 'namespaces';
}

/** The value of the variable `request`; `matched` is what the policy's rules matched. Empty members are left out, as on the wire. */
export function makeRequestVariable(request: PolicyRequest, matched: NamedKind): JsonObject {
  const { user, requested = request } = request;
  const { username, uid = '', groups, extra = {} } = user;
  return {
    uid: '',
    kind: { ...matched.kind },
    resource: { ...matched.resource },
    ...filled('subResource', request.subresource),
    requestKind: { ...requested.kind },
    requestResource: { ...requested.resource },
    ...filled('requestSubResource', requested.subresource),
    ...filled('name', request.name),
    ...filled('namespace', request.namespace),
    operation: request.operation,
    userInfo: {
      ...filled('username', username),
      ...filled('uid', uid),
      ...(groups.length === 0 ? {} : { groups: [...groups] }),
      ...(Object.keys(extra).length === 0
        ? {}
        : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
    },
    dryRun: request.dryRun,
    options: request.options,
  };
}

function filled(key: string, text: string): JsonObject {
  return text === '' ? {} : { [key]: text };
}
