import { createHash } from 'node:crypto';
import { encodeJson } from '../../core/decode/encode-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import { policyKinds, type KindRegistry } from '../../kinds/registry.ts';
import { parseHostJson, readHostText } from '../../platform/resources/read-host-answer.ts';
import { DiscoveryDocuments } from '../apiserver/discovery/discovery-documents.ts';
import { splitPath } from '../apiserver/split-path.ts';
import { wholeAnswer } from './forward-headers.ts';
import { sendToHost, type ForwardCall } from './forward-request.ts';
import { selectKinds, type ServedHere } from './own-kinds.ts';
import { pumpAnswer, startAnswer } from './pump-answer.ts';

type Resources = JsonObject[];

function readObjects(value: JsonValue | undefined): Resources {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** `resourcequotas` of `resourcequotas/status`. */
function readBaseName(resource: JsonObject): string {
  const { name } = resource;
  return typeof name === 'string' ? (name.split('/', 1)[0] ?? '') : '';
}

/** The group of an item of an aggregated document; empty for the core group. */
function readGroup({ metadata }: JsonObject): string {
  return isJsonObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
}

/** Objects, and behind them those of ours whose name is not among them. */
function addMissing(
  objects: Resources,
  ours: Resources,
  nameOf: (object: JsonObject) => JsonValue | undefined,
): Resources {
  const names = new Set(objects.map(nameOf));
  return [...objects, ...ours.filter((object) => !names.has(nameOf(object)))];
}

function sortByName(resources: Resources, member: 'name' | 'resource'): Resources {
  return resources.toSorted((left, right) => (String(left[member]) < String(right[member]) ? -1 : 1));
}

/**
 * The host's discovery with our kinds where the specification has them: in place of the host's own quotas, limit ranges and budgets, which
 * the same paths do not reach here.
 */
export class HostDiscoveryDocuments {
  readonly #own: DiscoveryDocuments;
  readonly #served: DiscoveryDocuments;
  readonly #apiVersions: ReadonlySet<string>;

  /** `served`: what is answered here, and not by the host. */
  constructor(registry: KindRegistry, served: ServedHere) {
    this.#own = new DiscoveryDocuments(selectKinds(registry, policyKinds), []);
    this.#served = new DiscoveryDocuments(served.registry, served.handlers);
    // Where the custom resources have the names of the specification, the host's discovery says all there is to say.
    this.#apiVersions = new Set(
      registry.kinds.flatMap(({ apiVersion, aliasGroup, version }) =>
        aliasGroup === undefined ? [] : [apiVersion, `${aliasGroup}/${version}`],
      ),
    );
  }

  /** Whether a path of a GET is one whose document is changed. */
  concerns(path: string): boolean {
    const [root, ...rest] = splitPath(path);
    if (root !== 'api' && root !== 'apis') return false;
    return rest.length === 0 || (rest.length === (root === 'api' ? 1 : 2) && this.#apiVersions.has(rest.join('/')));
  }

  /** Serves such a path. */
  async serve(call: ForwardCall): Promise<void> {
    const { exchange } = call;
    const { accept } = exchange.request.headers;
    const answer = await sendToHost(call, {
      headers: {
        ...wholeAnswer,
        ...(accept === undefined ? {} : { accept: dropProtobuf(accept) }),
      },
    });
    const type = answer.headers['content-type'] ?? '';
    if (answer.status !== 200 || !type.startsWith('application/json')) return pumpAnswer(exchange, answer, []);
    const document = parseHostJson(await readHostText(answer.body));
    const text = encodeJson(isJsonObject(document) ? this.#replace(document) : document);
    startAnswer(exchange, answer, true);
    const { response } = exchange;
    const etag = `"${createHash('sha256').update(text).digest('hex').toUpperCase()}"`;
    if (answer.headers['etag'] !== undefined) response.setHeader('Etag', etag);
    if (exchange.request.headers['if-none-match'] === etag) {
      response.statusCode = 304;
      response.removeHeader('content-type');
      response.end();
      return;
    }
    response.end(text);
  }

  #replace(document: JsonObject): JsonObject {
    if (document['kind'] === 'APIGroupDiscoveryList') return this.#replaceAggregated(document);
    if (document['kind'] === 'APIGroupList') {
      const { groups } = this.#served.makeGroupList() as { groups: JsonObject[] };
      return { ...document, groups: addMissing(readObjects(document['groups']), groups, ({ name }) => name) };
    }
    const { groupVersion } = document;
    if (document['kind'] !== 'APIResourceList' || typeof groupVersion !== 'string') return document;
    const own = this.#own.makeResourceList(groupVersion) as JsonObject | undefined;
    const ours = readObjects(own?.['resources']);
    const names = new Set(ours.map(readBaseName));
    const others = readObjects(document['resources']).filter((resource) => !names.has(readBaseName(resource)));
    return { ...document, resources: sortByName([...others, ...ours], 'name') };
  }

  #replaceAggregated(document: JsonObject): JsonObject {
    const version = String(document['apiVersion']).split('/')[1] ?? 'v2';
    const items = readObjects(document['items']).map((item) => {
      const group = readGroup(item);
      const own = this.#findAggregated(group, version);
      if (own === undefined) return item;
      const versions = readObjects(item['versions']).map((entry) => {
        const apiVersion = group === '' ? String(entry['version']) : `${group}/${String(entry['version'])}`;
        if (!this.#apiVersions.has(apiVersion)) return entry;
        const ours = readObjects(
          readObjects(own['versions']).find((one) => one['version'] === entry['version'])?.['resources'],
        );
        const names = new Set(ours.map(({ resource }) => resource));
        const others = readObjects(entry['resources']).filter(({ resource }) => !names.has(resource));
        return { ...entry, resources: sortByName([...others, ...ours], 'resource') };
      });
      return { ...item, versions };
    });
    // `/api` lists the core group alone.
    if (items.some((item) => readGroup(item) === '')) return { ...document, items };
    const served = this.#served.makeAggregated(false, version) as { items: JsonObject[] };
    return { ...document, items: addMissing(items, served.items, readGroup) };
  }

  #findAggregated(group: string, version: string): JsonObject | undefined {
    const { items } = this.#own.makeAggregated(group === '', version) as { items: JsonObject[] };
    return items.find((item) => readGroup(item) === group);
  }
}

/** The Accept header without what only Kubernetes' own programs read; what is left empty stays as it was. */
export function dropProtobuf(accept: string): string {
  const kept = accept
    .split(',')
    .filter((clause) => !/^\s*application\/(vnd\.kubernetes\.protobuf|cbor)\b/i.test(clause));
  return kept.length === 0 ? accept : kept.join(',');
}
