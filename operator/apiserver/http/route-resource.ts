import { makeGenericNotFoundError } from '../../../core/errors/make-status-error.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { EmbeddedResources } from '../pipeline/embedded-resources.ts';
import { findTarget } from '../pipeline/resource-target.ts';
import type { Exchange } from './exchange.ts';
import { makeMethodNotAllowedError } from './method-not-allowed.ts';
import { serveConnect } from './serve-connect.ts';
import { makeContext, serveResource } from './serve-resource.ts';
import { sendText } from './send-answer.ts';

/** Text of the answer for a path that nobody serves. */
export const NOT_FOUND_TEXT = '404 page not found\n';

const MAX_PARTS = 3;

/** Whether kinds of the program are in a group; where users alone define kinds, nothing answers for what they do not define. */
export function servesGroup(registry: KindRegistry, group: string): boolean {
  return registry.kinds.some(
    (kind) => kind.definedBy === undefined && (kind.group === group || kind.aliasGroup === group),
  );
}

/** Serves a request whose path names a resource. Throws a StatusError for every refusal. */
export async function routeResource(
  resources: EmbeddedResources,
  authorizer: Authorizer,
  exchange: Exchange,
): Promise<void> {
  const { info } = exchange;
  const { registry } = resources.services;
  const connect = resources.findConnectHandler(info);
  if (connect !== undefined) return serveConnect(resources, exchange, connect);
  const isCorePath = info.apiPrefix === 'api';
  const target = findTarget(registry, info.apiGroup, info.apiVersion, info.resource);
  const isDefined = target?.kind.definedBy !== undefined;
  if (!isCorePath && !isDefined && (info.apiGroup === '' || !servesGroup(registry, info.apiGroup))) {
    return sendText(exchange, 404, NOT_FOUND_TEXT);
  }
  const [, name = '', subresource = ''] = info.parts;
  if (target === undefined || info.parts.length > MAX_PARTS || info.verb === 'proxy') throw makeGenericNotFoundError();
  const isOwnNamespace = info.resource === 'namespaces' && info.apiGroup === '';
  const namespace = isOwnNamespace || info.namespace === '' ? undefined : info.namespace;
  const { method = 'GET' } = exchange.request;
  const isAcross = target.kind.namespaced && namespace === undefined;
  if (isAcross ? name !== '' || (isDefined && method !== 'GET') : !target.kind.namespaced && namespace !== undefined) {
    if (isDefined) return sendText(exchange, 404, NOT_FOUND_TEXT);
    throw makeGenericNotFoundError();
  }
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
