import { shapeOfOpenApi, UnresolvedReference } from '../../../core/cel/types/shape-of-open-api.ts';
import { completeResource, type DeclaredShape } from '../../../core/cel/types/declared-shape.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import type { HostConnection } from '../../../platform/kube/host-connection.ts';
import { parseHostJson, readHostText } from '../../../platform/resources/read-host-answer.ts';

const root = '/openapi/v3';
const schemaPrefix = '#/components/schemas/';
const kindExtension = 'x-kubernetes-group-version-kind';

/** Reads the addresses of a host's OpenAPI documents, which change with what they hold, by group and version (`/v1`, `apps/v1`). */
export async function readOpenApiIndex(connection: HostConnection): Promise<ReadonlyMap<string, string>> {
  const index = await readDocument(connection, root);
  const addresses = new Map<string, string>();
  for (const [name, entry] of Object.entries(readMember(index, 'paths'))) {
    const named = /^api\/([^/]+)$/.exec(name) ?? /^apis\/([^/]+\/[^/]+)$/.exec(name);
    if (named === null || !isJsonObject(entry) || typeof entry['serverRelativeURL'] !== 'string') continue;
    addresses.set(name.startsWith('api/') ? `/${named[1]}` : named[1]!, entry['serverRelativeURL']);
  }
  return addresses;
}

/** One group and version of a host, as its OpenAPI document has it. */
export interface OpenApiGroup {
  /** Kinds by the plural names of their resources. */
  readonly kinds: ReadonlyMap<string, string>;
  /** The shape of a kind's objects; `undefined` when the document has none. */
  describeKind(kind: string): DeclaredShape | undefined;
}

/** Reads the document at such an address. */
export async function readOpenApiGroup(connection: HostConnection, address: string): Promise<OpenApiGroup> {
  const document = await readDocument(connection, address);
  const schemas = readMember(readMember(document, 'components'), 'schemas');
  const resolve = (reference: string): JsonObject | undefined => {
    const schema = schemas[reference.slice(schemaPrefix.length)];
    return isJsonObject(schema) ? schema : undefined;
  };
  const [, , group, version] = /^\/openapi\/v3\/(api|apis\/([^/]+))\/([^/?]+)/.exec(address) ?? [];
  const ownName = { group: group ?? '', version: version ?? '' };
  return {
    kinds: readKinds(readMember(document, 'paths')),
    describeKind: (kind) => {
      const schema = Object.values(schemas).find((each) => hasKind(each, { ...ownName, kind }));
      return schema === undefined ? undefined : describe(schema as JsonObject, resolve);
    },
  };
}

function describe(
  schema: JsonObject,
  resolve: (reference: string) => JsonObject | undefined,
): DeclaredShape | undefined {
  try {
    const shape = shapeOfOpenApi(schema, resolve);
    return shape && completeResource(shape);
  } catch (error) {
    // A document that refers to what it does not hold says nothing of this kind.
    if (error instanceof UnresolvedReference) return undefined;
    throw error;
  }
}

/** A resource is what is listed at its own path. */
function readKinds(paths: JsonObject): ReadonlyMap<string, string> {
  const kinds = new Map<string, string>();
  for (const [path, methods] of Object.entries(paths)) {
    const plural = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/\{namespace\}\/)?([^/{}]+)$/.exec(path)?.[1];
    const list = isJsonObject(methods) && isJsonObject(methods['get']) ? methods['get'][kindExtension] : undefined;
    if (plural !== undefined && isJsonObject(list) && typeof list['kind'] === 'string') kinds.set(plural, list['kind']);
  }
  return kinds;
}

function hasKind(schema: JsonValue | undefined, wanted: { group: string; version: string; kind: string }): boolean {
  const names = isJsonObject(schema) ? schema[kindExtension] : undefined;
  if (!Array.isArray(names)) return false;
  return names.some((name) => {
    if (!isJsonObject(name)) return false;
    return name['group'] === wanted.group && name['version'] === wanted.version && name['kind'] === wanted.kind;
  });
}

async function readDocument(connection: HostConnection, path: string): Promise<JsonObject> {
  const { status, body } = await connection.send({ method: 'GET', path, headers: { accept: 'application/json' } });
  const text = await readHostText(body);
  if (status !== 200) throw new Error(`the host answered ${status} to ${path}`);
  const document = parseHostJson(text);
  return isJsonObject(document) ? document : {};
}

function readMember(object: JsonObject, name: string): JsonObject {
  const member = object[name];
  return isJsonObject(member) ? member : {};
}
