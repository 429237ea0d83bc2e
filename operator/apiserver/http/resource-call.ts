import type { Authorizer } from '../authz/authorizer.ts';
import type { EmbeddedResources } from '../pipeline/embedded-resources.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import type { ResourceTarget } from '../pipeline/resource-target.ts';
import type { Exchange } from './exchange.ts';

/** One request on a resource that is served. */
export interface ResourceCall {
  readonly resources: EmbeddedResources;
  readonly authorizer: Authorizer;
  readonly exchange: Exchange;
  readonly target: ResourceTarget;
  /** `undefined` for cluster-scoped kinds and requests across all namespaces. */
  readonly namespace: string | undefined;
  /** Empty for collections. */
  readonly name: string;
  readonly subresource: string | undefined;
  readonly context: RequestContext;
}
