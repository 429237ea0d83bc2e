import type { JsonObject, JsonValue } from '../../core/meta/json.ts';
import { isJsonObject } from '../../core/meta/json.ts';
import { parseHostJson, readHostText } from '../resources/read-host-answer.ts';
import type { HostConnection } from './host-connection.ts';

/** A resource that a host serves. */
export interface HostResource {
  readonly group: string;
  /** The host's preferred version that has it. */
  readonly version: string;
  /** Plural name. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  /** `status`, `scale` and so on, without the resource. */
  readonly subresources: readonly string[];
}

/** One version of a group, preferred ones first; `resources` is absent where the host could not say. */
export interface DiscoveredVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly HostResource[] | undefined;
}

/** What one document of a host said. */
export interface DiscoveredGroups {
  readonly versions: readonly DiscoveredVersion[];
  /** To ask whether it changed; absent when the host gives none. */
  readonly etag: string | undefined;
}

const aggregated =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

function readTexts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

function readObjects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function readText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function readName(object: JsonObject): string {
  return isJsonObject(object['metadata']) ? readText(object['metadata']['name']) : '';
}

function readAggregatedResource(group: string, version: string, entry: JsonObject): HostResource {
  return {
    group,
    version,
    resource: readText(entry['resource']),
    kind: isJsonObject(entry['responseKind']) ? readText(entry['responseKind']['kind']) : '',
    namespaced: entry['scope'] === 'Namespaced',
    verbs: readTexts(entry['verbs']),
    shortNames: readTexts(entry['shortNames']),
    subresources: readObjects(entry['subresources']).map((sub) => readText(sub['subresource'])),
  };
}

function readAggregated(body: JsonObject): DiscoveredVersion[] {
  return readObjects(body['items']).flatMap((item) => {
    const group = readName(item);
    return readObjects(item['versions']).map((entry) => {
      const version = readText(entry['version']);
      const resources = readObjects(entry['resources']).map((each) => readAggregatedResource(group, version, each));
      // A stale group's server does not answer; what is listed may be nothing at all.
      const isUnknown = entry['freshness'] === 'Stale' && resources.length === 0;
      return { group, version, resources: isUnknown ? undefined : resources };
    });
  });
}

function readLegacyResources(group: string, version: string, body: JsonObject): HostResource[] {
  const entries = readObjects(body['resources']);
  return entries
    .filter((entry) => !readText(entry['name']).includes('/'))
    .map((entry) => {
      const resource = readText(entry['name']);
      const below = entries.map((each) => readText(each['name'])).filter((name) => name.startsWith(`${resource}/`));
      return {
        group,
        version,
        resource,
        kind: readText(entry['kind']),
        namespaced: entry['namespaced'] === true,
        verbs: readTexts(entry['verbs']),
        shortNames: readTexts(entry['shortNames']),
        subresources: below.map((name) => name.slice(resource.length + 1)),
      };
    });
}

/** The group-versions that a legacy document of `/api` or `/apis` names, preferred ones first. */
function readLegacyVersions(body: JsonObject): { group: string; version: string; path: string }[] {
  if (body['kind'] === 'APIVersions') {
    return readTexts(body['versions']).map((version) => ({ group: '', version, path: `/api/${version}` }));
  }
  return readObjects(body['groups']).flatMap((entry) => {
    const group = readText(entry['name']);
    const preferred = isJsonObject(entry['preferredVersion']) ? readText(entry['preferredVersion']['version']) : '';
    const versions = readObjects(entry['versions']).map((each) => readText(each['version']));
    return [preferred, ...versions.filter((version) => version !== preferred)]
      .filter((version) => version !== '')
      .map((version) => ({ group, version, path: `/apis/${group}/${version}` }));
  });
}

async function readDocument(
  connection: HostConnection,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; etag: string | undefined; body: JsonObject | undefined }> {
  const answer = await connection.send({ method: 'GET', path, headers });
  const text = await readHostText(answer.body);
  const { etag } = answer.headers;
  if (answer.status !== 200) return { status: answer.status, etag, body: undefined };
  const body = parseHostJson(text);
  return { status: 200, etag, body: isJsonObject(body) ? body : {} };
}

/**
 * Reads the discovery document at `/api` or `/apis`, and those below it where the host has no aggregated ones. `undefined` when it is
 * still the one of `etag`. Throws when the document itself cannot be read; a group that cannot has no `resources`.
 */
export async function readApiDiscovery(
  connection: HostConnection,
  path: '/api' | '/apis',
  etag: string | undefined,
): Promise<DiscoveredGroups | undefined> {
  const headers: Record<string, string> = { accept: aggregated };
  if (etag !== undefined) headers['if-none-match'] = etag;
  const document = await readDocument(connection, path, headers);
  if (document.status === 304) return undefined;
  if (document.body === undefined) throw new Error(`the host answered ${document.status} to the discovery at ${path}`);
  if (document.body['kind'] === 'APIGroupDiscoveryList') {
    return { versions: readAggregated(document.body), etag: document.etag };
  }
  const versions: DiscoveredVersion[] = [];
  for (const { group, version, path: below } of readLegacyVersions(document.body)) {
    const { body } = await readDocument(connection, below, { accept: 'application/json' });
    versions.push({
      group,
      version,
      resources: body === undefined ? undefined : readLegacyResources(group, version, body),
    });
  }
  return { versions, etag: undefined };
}
