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

/** Group and version of an apiVersion, the core group as the empty string; `undefined` when it has more than one slash. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const [first = '', second, ...rest] = apiVersion.split('/');
  if (rest.length > 0) return undefined;
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}
