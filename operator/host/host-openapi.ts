import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../core/meta/json.ts';
import { policyKinds, type KindRegistry } from '../../kinds/registry.ts';
import { parseHostJson, readHostText } from '../../platform/resources/read-host-answer.ts';
import { OpenApiDocuments } from '../apiserver/discovery/openapi-documents.ts';
import { trimSlashes } from '../apiserver/split-path.ts';
import { wholeAnswer } from './forward-headers.ts';
import { sendToHost, type ForwardCall } from './forward-request.ts';
import { selectKinds, type ServedHere } from './own-kinds.ts';
import { pumpAnswer, startAnswer } from './pump-answer.ts';

const root = '/openapi/v3';
const YEAR_SECONDS = 31_536_000;
const metaPrefix = 'io.k8s.apimachinery.';

interface Composed {
  /** Hash of the host's document and of ours. */
  readonly hash: string;
  readonly text: string;
}

function readMember(object: JsonObject, ...names: readonly string[]): JsonObject {
  let current: JsonObject = object;
  for (const name of names) current = isJsonObject(current[name]) ? current[name] : {};
  return current;
}

/** The host's OpenAPI v3 with our kinds where the specification has them, in place of the host's own of the same names. */
export class HostOpenApi {
  readonly #own: OpenApiDocuments;
  readonly #served: OpenApiDocuments;
  /** Documents that hold a kind whose custom resource has another group: `api/v1` to the plural names of the kinds. */
  readonly #plurals = new Map<string, string[]>();
  /** What was composed last, by document. */
  readonly #composed = new Map<string, Composed>();

  /** `served`: what is answered here, and not by the host. */
  constructor(registry: KindRegistry, served: ServedHere) {
    const own = selectKinds(registry, policyKinds);
    this.#own = new OpenApiDocuments(own, []);
    this.#served = new OpenApiDocuments(served.registry, served.handlers);
    for (const { group, version, plural, aliasGroup } of own.kinds) {
      if (aliasGroup === undefined) continue;
      const name = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      this.#plurals.set(name, [...(this.#plurals.get(name) ?? []), plural]);
    }
  }

  /** Whether a path of a GET is one whose document is changed. */
  concerns(path: string): boolean {
    const trimmed = `/${trimSlashes(path)}`;
    return trimmed === root || (trimmed.startsWith(`${root}/`) && this.#plurals.has(trimmed.slice(root.length + 1)));
  }

  /** Serves such a path. */
  async serve(call: ForwardCall): Promise<void> {
    const trimmed = `/${trimSlashes(call.exchange.info.path)}`;
    return trimmed === root ? this.#serveIndex(call) : this.#serveDocument(call, trimmed.slice(root.length + 1));
  }

  async #hash(name: string, hostHash: string): Promise<string> {
    const own = await this.#own.getV3(name);
    return createHash('sha256')
      .update(`${hostHash} ${own?.hash ?? ''}`)
      .digest('hex')
      .toUpperCase();
  }

  async #serveIndex(call: ForwardCall): Promise<void> {
    const { exchange } = call;
    const answer = await sendToHost(call, {
      headers: { ...wholeAnswer, accept: 'application/json' },
    });
    if (answer.status !== 200) return pumpAnswer(exchange, answer, []);
    const index = parseHostJson(await readHostText(answer.body)) as JsonObject;
    for (const name of this.#plurals.keys()) {
      const entry = readMember(index, 'paths', name);
      const hostHash = /[?&]hash=(\w+)/.exec(String(entry['serverRelativeURL']))?.[1];
      if (hostHash === undefined) continue;
      entry['serverRelativeURL'] = `${root}/${name}?hash=${await this.#hash(name, hostHash)}`;
    }
    const served = (await this.#served.getV3Index()) as { readonly paths: JsonObject };
    Object.assign(readMember(index, 'paths'), served.paths);
    startAnswer(exchange, answer, true);
    exchange.response.end(JSON.stringify(index));
  }

  async #serveDocument(call: ForwardCall, name: string): Promise<void> {
    const { exchange } = call;
    const { response, request, query } = exchange;
    const answer = await sendToHost(call, {
      search: '',
      headers: { ...wholeAnswer, accept: 'application/json' },
    });
    if (answer.status !== 200) return pumpAnswer(exchange, answer, []);
    const { hash, text } = await this.#compose(name, answer.headers.etag ?? '', await readHostText(answer.body));
    startAnswer(exchange, answer, true);
    const wanted = query.get('hash');
    if (wanted !== null && wanted !== hash) {
      response.statusCode = 301;
      response.setHeader('Location', `${root}/${name}?hash=${hash}`);
      response.end();
      return;
    }
    response.setHeader('Etag', `"${hash}"`);
    if (wanted !== null) response.setHeader('Cache-Control', `public, immutable, max-age=${YEAR_SECONDS}`);
    if (request.headers['if-none-match'] === `"${hash}"`) {
      response.statusCode = 304;
      response.end();
      return;
    }
    response.end(text);
  }

  async #compose(name: string, etag: string, hostText: string): Promise<Composed> {
    const hash = await this.#hash(name, etag.replaceAll('"', ''));
    const known = this.#composed.get(name);
    if (known?.hash === hash) return known;
    const document = parseHostJson(hostText) as JsonObject;
    const own = parseHostJson((await this.#own.getV3(name))?.text ?? '{}') as JsonObject;
    const plurals = this.#plurals.get(name) ?? [];
    const paths = readMember(document, 'paths');
    for (const path of Object.keys(paths)) {
      if (plurals.some((plural) => path.split('/').includes(plural))) delete paths[path];
    }
    Object.assign(paths, readMember(own, 'paths'));
    const schemas = readMember(document, 'components', 'schemas');
    for (const [schema, value] of Object.entries(readMember(own, 'components', 'schemas'))) {
      // The host's metadata serves its other kinds too.
      if (!schema.startsWith(metaPrefix) || schemas[schema] === undefined) schemas[schema] = value;
    }
    const composed = { hash, text: JSON.stringify(document) };
    this.#composed.set(name, composed);
    return composed;
  }
}
