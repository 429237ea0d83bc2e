import type { Registry } from 'prom-client';

import { makeGenericNotFoundError } from '../../../core/errors/make-status-error.ts';
import type { DiscoveryDocuments } from '../discovery/discovery-documents.ts';
import type { OpenApiDocuments } from '../discovery/openapi-documents.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import { serveFlowDump } from '../flow-control/serve-flow-dump.ts';
import type { EmbeddedResources } from '../pipeline/embedded-resources.ts';
import { splitPath } from '../split-path.ts';
import { checkAcceptsJson } from './accept-header.ts';
import type { Exchange } from './exchange.ts';
import { makeMethodNotAllowedError } from './method-not-allowed.ts';
import { NOT_FOUND_TEXT, servesGroup } from './route-resource.ts';
import { sendBytes, sendText } from './send-answer.ts';
import { serveDiscovery } from './serve-discovery.ts';
import { HealthEndpoints } from './serve-health.ts';
import { serveOpenApi } from './serve-openapi.ts';
import { SERVICE_VERSION } from './service-version.ts';

/** All that serving a path without a resource needs. */
export interface PlainPathServices {
  readonly resources: EmbeddedResources;
  readonly registry: Registry;
  readonly health: HealthEndpoints;
  readonly discovery: DiscoveryDocuments;
  readonly openApi: OpenApiDocuments;
  /** Absent: there is nothing to be dumped. */
  readonly flow?: { readonly flowControl: FlowControl } | undefined;
}

/**
 * Serves a path that names no resource. As in Kubernetes, only versions and what is below them look at the method; every other
 * document answers all methods alike. Throws a StatusError for a refusal.
 */
export async function servePlainPath(services: PlainPathServices, exchange: Exchange): Promise<void> {
  const { path } = exchange.info;
  if (path.startsWith('//')) return sendText(exchange, 404, NOT_FOUND_TEXT);
  if (HealthEndpoints.matches(path)) return services.health.serve(exchange);
  if (await serveDiscovery(exchange, services.discovery)) return undefined;
  if (isBelowServed(services, path)) throw makeGenericNotFoundError();
  if (await serveOpenApi(exchange, services.openApi)) return undefined;
  if (await serveFlowDump(services.flow?.flowControl, exchange)) return undefined;
  return serveDocument(services, exchange);
}

/** Whether a path is below what is served: its absence is a Status, while other unknown paths get a plain text. */
function isBelowServed({ resources }: PlainPathServices, path: string): boolean {
  const [root, first, second] = splitPath(path);
  if (root === 'api') return true;
  if (root === 'version') return first !== undefined;
  if (root !== 'apis' || second === undefined) return false;
  return first !== undefined && first !== '' && servesGroup(resources.services.registry, first);
}

async function serveDocument(services: PlainPathServices, exchange: Exchange): Promise<void> {
  const { method, headers } = exchange.request;
  switch (exchange.info.path) {
    case '/version':
    case '/version/':
      if (method !== 'GET') throw makeMethodNotAllowedError();
      checkAcceptsJson(headers.accept);
      return sendBytes(exchange, 200, 'application/json', JSON.stringify(SERVICE_VERSION, undefined, 2));
    case '/metrics':
      return sendBytes(exchange, 200, services.registry.contentType, await services.registry.metrics());
    case '/':
      return sendBytes(exchange, 200, 'application/json', JSON.stringify({ paths: listPaths(services) }, undefined, 2));
    default:
      return sendText(exchange, 404, NOT_FOUND_TEXT);
  }
}

function listPaths({ discovery, health }: PlainPathServices): string[] {
  const paths = new Set(['/api', '/apis', '/metrics', '/openapi/v2', '/openapi/v3', '/version']);
  for (const apiVersion of discovery.listApiVersions()) {
    if (!apiVersion.includes('/')) {
      paths.add(`/api/${apiVersion}`);
    } else {
      paths.add(`/apis/${apiVersion.split('/')[0]}`);
      paths.add(`/apis/${apiVersion}`);
    }
  }
  for (const path of health.listPaths()) paths.add(path);
  return [...paths].toSorted();
}
