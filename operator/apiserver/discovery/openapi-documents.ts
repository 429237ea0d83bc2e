import { createHash } from 'node:crypto';
import { formatApiVersion } from '../../../core/meta/resource-name.ts';
import { deriveSchema } from '../../../kinds/derive-schema.ts';
import { objectMetaSchema } from '../../../kinds/object-schemas.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import { SCALE_SCHEMA } from '../pipeline/scale-schema.ts';
import type { ConnectHandler } from '../held-kind-handler.ts';
import type { SubresourceHandler } from '../subresource-handler.ts';
import { describeDefinedSchema, describeSelectableFields, nameDefinedType } from './defined-kind-schema.ts';
import { encodeOpenApiProtobuf, type OpenApiParts } from './encode-openapi-protobuf.ts';
import { describeKind, type DiscoveredResource } from './list-resources.ts';
import { listServedKinds, type ServedKind } from './list-served-kinds.ts';
import { OpenApiComponents, type OpenApiDialect } from './openapi-components.ts';
import { META_PREFIX } from './openapi-meta-components.ts';
import { listOperations, makeConnectOperation, type Operation } from './openapi-operations.ts';
import { renderPaths } from './render-openapi.ts';

/** A document and the hash of its bytes. */
export interface HashedDocument {
  readonly text: string;
  readonly hash: string;
}

/** A document that is no text, and the hash of its bytes. */
export interface HashedBytes {
  readonly bytes: Buffer;
  readonly hash: string;
}

function hashDocument(document: string | Buffer): string {
  return createHash('sha256').update(document).digest('hex').toUpperCase();
}

const OBJECT_META = deriveSchema(objectMetaSchema);
const INFO = { title: 'Kubernetes', version: 'v1.34.4' };

const SECURITY = {
  BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
};
const REQUIREMENTS = [{ BearerToken: [] }];

/** The path of a group-version's document below `/openapi/v3/`. */
function makeDocumentPath(kind: Pick<ServedKind, 'group' | 'version'>): string {
  return kind.group === '' ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
}

/** Encodes an object member by member, letting others have their turn: whole documents take too long at once. */
async function encodeMembers(members: Iterable<readonly [string, unknown]>, slices: EventLoopYield): Promise<string> {
  const parts: string[] = [];
  for (const [name, value] of members) {
    await slices.pause();
    parts.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  }
  return `{${parts.join(',')}}`;
}

/** Adds the schema of a kind's objects; returns its name. */
function addOwnSchema(kind: ServedKind, components: OpenApiComponents): string {
  const { group, version, definedBy } = kind;
  const groupVersionKind = { group, kind: kind.kind, version };
  const defined = definedBy?.spec.versions.find(({ name }) => name === version);
  if (definedBy === undefined || defined === undefined) {
    return components.addKind(kind.schema, kind.kind, [groupVersionKind]);
  }
  const name = nameDefinedType(group, version, kind.kind);
  const objectMeta = components.use({ ...OBJECT_META, description: "Standard object's metadata." });
  components.add(name, {
    ...describeDefinedSchema(definedBy, defined, components.dialect, { objectMeta }),
    'x-kubernetes-group-version-kind': [groupVersionKind],
    ...describeSelectableFields(defined),
  });
  return name;
}

/** A document, and the kinds that it was made of. */
interface MadeDocument {
  readonly kinds: readonly ServedKind[];
  readonly document: Promise<HashedDocument>;
}

function areSame(left: readonly ServedKind[], right: readonly ServedKind[]): boolean {
  return left.length === right.length && left.every((kind, index) => kind === right[index]);
}

/** OpenAPI documents of the kinds that are served, each made when it is first asked for, and again when its kinds have changed. */
export class OpenApiDocuments {
  readonly #registry: KindRegistry;
  readonly #handlers: readonly SubresourceHandler[];
  readonly #v3 = new Map<string, MadeDocument>();
  #v2: MadeDocument | undefined;
  #v2Protobuf: { readonly kinds: readonly ServedKind[]; readonly document: Promise<HashedBytes> } | undefined;
  #listed: { readonly of: KindRegistry['kinds']; readonly kinds: readonly ServedKind[] } | undefined;

  constructor(registry: KindRegistry, handlers: readonly SubresourceHandler[]) {
    this.#registry = registry;
    this.#handlers = handlers;
  }

  get #kinds(): readonly ServedKind[] {
    const { kinds } = this.#registry;
    if (this.#listed?.of !== kinds) this.#listed = { of: kinds, kinds: listServedKinds(this.#registry) };
    return this.#listed.kinds;
  }

  /** The one document of all kinds, in OpenAPI v2. */
  getV2(): Promise<HashedDocument> {
    const kinds = this.#kinds;
    if (this.#v2 === undefined || !areSame(this.#v2.kinds, kinds)) {
      this.#v2 = { kinds, document: this.#build('v2', kinds) };
    }
    return this.#v2.document;
  }

  /** The same in protobuf. */
  getV2Protobuf(): Promise<HashedBytes> {
    const kinds = this.#kinds;
    if (this.#v2Protobuf === undefined || !areSame(this.#v2Protobuf.kinds, kinds)) {
      this.#v2Protobuf = { kinds, document: this.#buildProtobuf(kinds) };
    }
    return this.#v2Protobuf.document;
  }

  /** `/openapi/v3`: where the documents are. */
  async getV3Index(): Promise<object> {
    const paths: Record<string, object> = {};
    const names = new Set(this.#kinds.map(makeDocumentPath));
    for (const name of [...names].toSorted()) {
      const document = await this.getV3(name);
      if (document === undefined) continue;
      paths[name] = { serverRelativeURL: `/openapi/v3/${name}?hash=${document.hash}` };
    }
    return { paths };
  }

  /** The document of one group-version (`api/v1`, `apis/apps/v1`); `undefined` when it is not served. */
  getV3(path: string): Promise<HashedDocument | undefined> {
    const kinds = this.#kinds.filter((kind) => makeDocumentPath(kind) === path);
    const made = this.#v3.get(path);
    if (made !== undefined && areSame(made.kinds, kinds)) return made.document;
    if (kinds.length === 0) {
      this.#v3.delete(path);
      return Promise.resolve(undefined);
    }
    const document = this.#build('v3', kinds);
    this.#v3.set(path, { kinds, document });
    return document;
  }

  async #build(dialect: OpenApiDialect, kinds: readonly ServedKind[]): Promise<HashedDocument> {
    const slices = new EventLoopYield();
    const parts = await this.#collect(dialect, kinds, slices);
    const paths = await encodeMembers(parts.paths, slices);
    const schemas = await encodeMembers(parts.definitions, slices);
    const info = JSON.stringify(INFO);
    const security = JSON.stringify(SECURITY);
    const text =
      dialect === 'v3'
        ? `{"openapi":"3.0.0","info":${info},"paths":${paths},"components":{"schemas":${schemas},"securitySchemes":${security}}}`
        : `{"swagger":"2.0","info":${info},"paths":${paths},"definitions":${schemas},"securityDefinitions":${security},"security":${JSON.stringify(REQUIREMENTS)}}`;
    await slices.pause();
    return { text, hash: hashDocument(text) };
  }

  async #buildProtobuf(kinds: readonly ServedKind[]): Promise<HashedBytes> {
    const slices = new EventLoopYield();
    const bytes = await encodeOpenApiProtobuf(await this.#collect('v2', kinds, slices), slices);
    await slices.pause();
    return { bytes, hash: hashDocument(bytes) };
  }

  async #collect(dialect: OpenApiDialect, kinds: readonly ServedKind[], slices: EventLoopYield): Promise<OpenApiParts> {
    const components = new OpenApiComponents(dialect);
    // The schemas of many kinds have the same structure without a word on it.
    components.use(OBJECT_META);
    const paths: Record<string, object> = {};
    for (const kind of kinds) {
      await slices.pause();
      const operations = this.#describe(kind, components);
      await slices.pause();
      Object.assign(paths, renderPaths(operations, dialect));
    }
    const sorted = Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const definitions = components.entries();
    return { info: INFO, paths: sorted, definitions, securityDefinitions: SECURITY, security: REQUIREMENTS };
  }

  #describe(kind: ServedKind, components: OpenApiComponents): Operation[] {
    const { group, version } = kind;
    const own = addOwnSchema(kind, components);
    const listKind = kind.listKind ?? `${kind.kind}List`;
    const list = kind.definedBy === undefined ? `${own}List` : nameDefinedType(group, version, listKind);
    const common = (name: string): string => {
      components.referTo(META_PREFIX + name);
      return META_PREFIX + name;
    };
    components.add(list, {
      description: `A list of objects of kind ${kind.kind}.`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { description: 'Group and version of the representation.', type: 'string' },
        items: {
          description: 'The objects.',
          type: 'array',
          items: components.referToKind(own),
        },
        kind: { description: 'Kind of the list.', type: 'string' },
        metadata: components.referTo(`${META_PREFIX}ListMeta`),
      },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
    });
    const connects = this.#listConnects(kind);
    const operations = listOperations(kind, describeKind(kind, this.#handlers), {
      own,
      list,
      patch: common('Patch'),
      status: common('Status'),
      deleteOptions: common('DeleteOptions'),
      subresource: (resource) => this.#addSubresource(resource, own, kind, components),
    });
    return [
      ...operations.filter(({ path }) => !connects.some(({ target }) => path.endsWith(`/${target.subresource}`))),
      ...connects.map((handler) => makeConnectOperation(kind, handler, own)),
    ];
  }

  /** What is passed on and answers this kind. */
  #listConnects(kind: ServedKind): ConnectHandler[] {
    return this.#handlers.filter(
      (handler): handler is ConnectHandler =>
        handler.type === 'connect' &&
        handler.answerKind.kind === kind.kind &&
        handler.answerKind.apiVersion === kind.apiVersion,
    );
  }

  #addSubresource(resource: DiscoveredResource, own: string, kind: ServedKind, components: OpenApiComponents): string {
    const group = resource.group ?? kind.group;
    const version = resource.version ?? kind.version;
    const type = { group, kind: resource.kind, version };
    if (resource.kind === 'Scale' && group === 'autoscaling') return components.addKind(SCALE_SCHEMA, 'Scale', [type]);
    if (resource.kind === kind.kind) return own;
    const apiVersion = formatApiVersion(group, version);
    const handler = this.#handlers.find(
      (known) => known.type === 'create' && known.bodyKind === resource.kind && known.bodyApiVersion === apiVersion,
    );
    const schema = handler?.type === 'create' ? handler.bodySchema : undefined;
    const registered = schema ?? this.#registry.findByKind(group, version, resource.kind)?.schema;
    return registered === undefined ? own : components.addKind(registered, resource.kind, [type]);
  }
}
