/** Group, version and plural name of a resource; the core group is the empty string. */
export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** `pods`, or `deployments.apps`, as Kubernetes prints a group-resource. */
export function formatGroupResource(group: string, resource: string): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** `v1`, or `apps/v1`. */
export function formatApiVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}
