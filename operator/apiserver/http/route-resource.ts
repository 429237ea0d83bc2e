import { makeGenericNotFoundError } from '../../../core/errors/make-status-error.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { EmbeddedResources } from '../pipeline/embedded-resources.ts';
import { findTarget } from '../pipeline/resource-target.ts';
import type { Exchange } from './exchange.ts';
import { makeMethodNotAllowedError } from './method-not-allowed.ts';
import { makeContext, serveResource } from './serve-resource.ts';
import { sendText } from './send-answer.ts';

/** Text of the answer for a path that nobody serves. */
export const NOT_FOUND_TEXT = '404 page not found\n';

const MAX_PARTS = 3;

function servesGroup(registry: KindRegistry, group: string): boolean {
  return registry.kinds.some((kind) => kind.group === group || kind.aliasGroup === group);
}

/** Serves a request whose path names a resource. Throws a StatusError for every refusal. */
export async function routeResource(
  resources: EmbeddedResources,
  authorizer: Authorizer,
  exchange: Exchange,
): Promise<void> {
  const { info } = exchange;
  const { registry } = resources.services;
  const isCorePath = info.apiPrefix === 'api';
  if (!isCorePath && (info.apiGroup === '' || !servesGroup(registry, info.apiGroup))) {
    return sendText(exchange, 404, NOT_FOUND_TEXT);
  }
  const target = findTarget(registry, info.apiGroup, info.apiVersion, info.resource);
  const [, name = '', subresource = ''] = info.parts;
  if (target === undefined || info.parts.length > MAX_PARTS || info.verb === 'proxy') throw makeGenericNotFoundError();
  const isOwnNamespace = info.resource === 'namespaces' && info.apiGroup === '';
  const namespace = isOwnNamespace || info.namespace === '' ? undefined : info.namespace;
  if (target.kind.namespaced ? namespace === undefined && name !== '' : namespace !== undefined) {
    throw makeGenericNotFoundError();
  }
  const { method = 'GET' } = exchange.request;
  if (method === 'HEAD' || (info.verb === 'watch' && method !== 'GET')) throw makeMethodNotAllowedError();
  await serveResource({
    resources,
    authorizer,
    exchange,
    target,
    namespace,
    name,
    subresource: subresource === '' ? undefined : subresource,
    context: makeContext(exchange, authorizer, target, resources.services.now()),
  });
}
