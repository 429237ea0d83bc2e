import type { ResourceAttributes } from '../../core/meta/authorization-attributes.ts';

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Paths with a subresource of their own; `orProxy`: whoever may use the whole node may use these as well. */
const places: readonly { readonly path: string; readonly subresource: string; readonly orProxy: boolean }[] = [
  { path: '/checkpoint', subresource: 'checkpoint', orProxy: false },
  { path: '/checkpoints', subresource: 'checkpoint', orProxy: false },
  { path: '/metrics', subresource: 'metrics', orProxy: false },
  { path: '/pods', subresource: 'pods', orProxy: true },
  { path: '/healthz', subresource: 'healthz', orProxy: true },
  { path: '/configz', subresource: 'configz', orProxy: true },
];

/** The path of a request as it is routed by: without its query, dot segments resolved, decoded. `undefined` when it cannot be decoded. */
export function readRequestPath(url: string | undefined): string | undefined {
  try {
    // A target such as `//host/path` must not be read as another server's address.
    const target = (url ?? '/').replace(/^\/+/, '/');
    return decodeURIComponent(new URL(target, 'https://agent').pathname);
  } catch {
    return undefined;
  }
}

function isAtOrBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

/** The subresources of the node that a path belongs to. */
function listSubresources(path: string, isFineGrained: boolean): string[] {
  const place = places.find((one) => isAtOrBelow(path, one.path));
  if (place === undefined) return ['proxy'];
  if (!place.orProxy) return [place.subresource];
  return isFineGrained ? [place.subresource, 'proxy'] : ['proxy'];
}

/**
 * What a request must be allowed to do on the node: one of these suffices. An unknown method has an empty verb, which only a right to every
 * verb covers. Unless it is fine-grained, what may be had with less than the whole node may not.
 */
export function planAccessQuestions(
  method: string,
  path: string,
  nodeName: string,
  isFineGrained: boolean,
): ResourceAttributes[] {
  const subresources = listSubresources(path, isFineGrained);
  return subresources.map((subresource) => ({
    type: 'resource',
    verb: verbs[method] ?? '',
    group: '',
    version: 'v1',
    resource: 'nodes',
    subresource,
    name: nodeName,
  }));
}
