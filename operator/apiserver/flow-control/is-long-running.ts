import type { RequestInfo } from '../request-info.ts';

const LONG_VERBS: ReadonlySet<string> = new Set(['watch', 'proxy']);
const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Whether a request may go on for as long as its client likes, as Kubernetes tells by verb, subresource and path. */
export function isLongRunning(info: RequestInfo): boolean {
  if (LONG_VERBS.has(info.verb)) return true;
  return info.isResourceRequest ? LONG_SUBRESOURCES.has(info.subresource) : info.path.startsWith('/debug/pprof/');
}
