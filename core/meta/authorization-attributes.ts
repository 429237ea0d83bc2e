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
  /** As the asker has it, parsed by nobody yet. */
  readonly fieldSelector?: string;
  /** As the asker has it, parsed by nobody yet. */
  readonly labelSelector?: string;
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
