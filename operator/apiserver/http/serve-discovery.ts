import type { DiscoveryDocuments } from '../discovery/discovery-documents.ts';
import { negotiateDocument, negotiateFormat, parseAccept } from './accept-header.ts';
import { splitPath } from '../split-path.ts';
import type { Exchange } from './exchange.ts';
import { encodeJson } from '../../../core/decode/encode-json.ts';
import { makeMethodNotAllowedError } from './method-not-allowed.ts';
import { sendBytes, sendObject, wantsPretty } from './send-answer.ts';

/** The version of aggregated discovery that a client wants most; `undefined` when it wants the plain documents more. */
function findAggregatedVersion(accept: string | undefined): string | undefined {
  for (const clause of parseAccept(accept ?? '')) {
    if (clause.type !== 'application' || clause.subtype !== 'json') continue;
    const { parameters } = clause;
    const version = parameters.get('v');
    if (parameters.get('g') === 'apidiscovery.k8s.io' && parameters.get('as') === 'APIGroupDiscoveryList') {
      if (version === 'v2' || version === 'v2beta1') return version;
      continue;
    }
    if (parameters.size === 0) return undefined;
  }
  return undefined;
}

async function sendAggregated(exchange: Exchange, documents: DiscoveryDocuments, version: string, legacy: boolean) {
  const text = encodeJson(documents.makeAggregated(legacy, version));
  exchange.response.setHeader('Vary', 'Accept');
  const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  const pretty = wantsPretty(exchange, { format: 'json', pretty: false });
  await sendBytes(exchange, 200, type, pretty ? JSON.stringify(JSON.parse(text), undefined, 2) : text);
}

/** Serves `/api`, `/apis` and what is below them of groups and versions; resolves to false for a path that is none of these. */
export async function serveDiscovery(exchange: Exchange, documents: DiscoveryDocuments): Promise<boolean> {
  const [root, first, second] = splitPath(exchange.info.path);
  if (root !== 'api' && root !== 'apis') return false;
  const answersAll = root === 'apis' && second === undefined;
  if (first === undefined) {
    const version = findAggregatedVersion(exchange.request.headers.accept);
    if (version !== undefined) {
      checkMethod(exchange, answersAll);
      await sendAggregated(exchange, documents, version, root === 'api');
      return true;
    }
  }
  const document = findDocument(exchange, documents, root, first, second);
  if (document === undefined) return false;
  checkMethod(exchange, answersAll);
  const { accept } = exchange.request.headers;
  const negotiated = answersAll ? negotiateDocument(accept) : negotiateFormat(accept, 'none');
  await sendObject(exchange, 200, negotiated, document);
  return true;
}

/** Throws 405 where the path only answers GET. */
function checkMethod({ request }: Exchange, answersAll: boolean): void {
  if (!answersAll && request.method !== 'GET') throw makeMethodNotAllowedError();
}

function findDocument(
  exchange: Exchange,
  documents: DiscoveryDocuments,
  root: 'api' | 'apis',
  first: string | undefined,
  second: string | undefined,
): object | undefined {
  if (root === 'api') {
    if (first === undefined) return documents.makeVersions(exchange.request.headers.host ?? 'localhost');
    return second === undefined && !first.includes('/') ? documents.makeResourceList(first) : undefined;
  }
  if (first === undefined) return documents.makeGroupList();
  if (second === undefined) return documents.makeGroup(first);
  return documents.makeResourceList(`${first}/${second}`);
}
