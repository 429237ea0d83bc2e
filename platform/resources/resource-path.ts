import type { ResourceName } from '../../core/meta/resource-name.ts';

/** What of a resource a path names; all absent: the collection in every namespace, or of a cluster-scoped kind. */
export interface PathParts {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Path in the API: `/api/v1/namespaces/a/pods/b/status`. Names are escaped; a subresource may hold slashes. */
export function formatResourcePath(resource: ResourceName, parts: PathParts = {}): string {
  const { namespace, name, subresource } = parts;
  const root = resource.group === '' ? '/api' : `/apis/${encodeURIComponent(resource.group)}`;
  let path = `${root}/${encodeURIComponent(resource.version)}`;
  if (namespace !== undefined && namespace !== '') path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${encodeURIComponent(resource.resource)}`;
  if (name !== undefined) path += `/${encodeURIComponent(name)}`;
  if (subresource !== undefined) path += `/${subresource.split('/').map(encodeURIComponent).join('/')}`;
  return path;
}
