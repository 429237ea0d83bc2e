import { encodeJson } from '../../core/decode/encode-json.ts';
import { isJsonObject, type JsonValue } from '../../core/meta/json.ts';
import type { HostAnswer } from '../../platform/kube/host-connection.ts';
import { renameFromHost } from '../../platform/resources/host-groups.ts';
import { parseHostJson, readHostText } from '../../platform/resources/read-host-answer.ts';
import { formatYaml } from '../apiserver/http/format-yaml.ts';
import { parseAccept } from '../apiserver/http/accept-header.ts';
import { readBody } from '../apiserver/http/read-body.ts';
import { hasBody } from './forward-headers.ts';
import { sendToHost, type ForwardCall } from './forward-request.ts';
import { dropProtobuf } from './host-discovery.ts';
import type { OwnRoute } from './host-route.ts';
import type { HiddenMembers, RewriteRules } from './json-rewriter.ts';
import { pumpAnswer, startAnswer } from './pump-answer.ts';
import { renameRequestBody } from './rename-request-body.ts';
import { renameMessage } from './rename-message.ts';
import { sendStrategicPatch } from './strategic-patch.ts';
import { updateStatus } from './update-status.ts';

/** A request about one of our kinds on its way to the host. */
export interface OwnKindCall extends ForwardCall {
  readonly route: OwnRoute;
}

const strategicPatch = 'application/strategic-merge-patch+json';

/** What is in the custom resource only, and who owns it there, as `fieldsV1` says. */
function listHiddenMembers({ kind }: OwnRoute): HiddenMembers {
  const hidden = new Map<string, Set<string>>();
  for (const path of Object.keys(kind.crd?.additions ?? {})) {
    const [parent = '', member = ''] = path.split('.');
    hidden.set(parent, new Set([...(hidden.get(parent) ?? []), member]));
    hidden.set(`f:${parent}`, new Set([...(hidden.get(`f:${parent}`) ?? []), `f:${member}`]));
  }
  return hidden;
}

function makeRewriteRules(route: OwnRoute): RewriteRules {
  const apiVersions = new Map(route.renaming === undefined ? [] : [[route.hostApiVersion, route.apiVersion]]);
  return { apiVersions, hidden: listHiddenMembers(route) };
}

/** Whether the client wants YAML more than JSON. */
function wantsYaml(accept: string | undefined): boolean {
  for (const { type, subtype } of parseAccept(accept ?? '')) {
    if (subtype === 'yaml') return true;
    if (subtype === 'json' || type === '*') return false;
  }
  return false;
}

function hideMembers(value: JsonValue | undefined, hidden: HiddenMembers): void {
  if (Array.isArray(value)) for (const item of value) hideMembers(item, hidden);
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (isJsonObject(member)) for (const inner of hidden.get(name) ?? []) delete member[inner];
    hideMembers(member, hidden);
  }
}

/** An answer read whole, as its reader must see it; the text itself when it is no JSON. */
async function readAnswer(answer: HostAnswer, route: OwnRoute): Promise<JsonValue | { readonly text: string }> {
  const text = await readHostText(answer.body);
  let value: JsonValue;
  try {
    value = parseHostJson(text);
  } catch {
    return { text };
  }
  const { renaming } = route;
  if (renaming !== undefined) {
    renameFromHost(renaming, value);
    if (isJsonObject(value) && value['kind'] === 'Status') renameMessage(value, route);
  }
  hideMembers(value, listHiddenMembers(route));
  return value;
}

function isText(value: JsonValue | { readonly text: string }): value is { readonly text: string } {
  return isJsonObject(value) && Object.keys(value).length === 1 && typeof value['text'] === 'string';
}

async function sendWhole(call: OwnKindCall, answer: HostAnswer, asYaml: boolean): Promise<void> {
  const { exchange, route } = call;
  const value = await readAnswer(answer, route);
  startAnswer(exchange, answer, true);
  const isPretty = exchange.query.get('pretty') === 'true';
  if (isText(value)) {
    exchange.response.end(value.text);
  } else if (asYaml) {
    exchange.response.setHeader('content-type', 'application/yaml');
    exchange.response.end(formatYaml(value));
  } else {
    exchange.response.end(isPretty ? `${JSON.stringify(value, undefined, 2)}\n` : `${encodeJson(value)}\n`);
  }
}

/** Sends the request to the host, its body as the host must get it. */
async function send(call: OwnKindCall, headers: Record<string, string | undefined>): Promise<HostAnswer> {
  const { exchange, route } = call;
  const { request, info } = exchange;
  if (!hasBody(request.headers)) return sendToHost(call, { headers });
  const bytes = await readBody(exchange);
  // DeleteOptions are the same for every kind.
  if (request.method === 'DELETE') return sendToHost(call, { body: bytes, headers });
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (request.method === 'PATCH' && mediaType === strategicPatch) return sendStrategicPatch(call, bytes, headers);
  const body = await renameRequestBody(bytes, request.headers['content-type'], route);
  const hidden = listHiddenMembers(route);
  if (request.method === 'PUT' && info.subresource === 'status' && hidden.size > 0) {
    return updateStatus(call, body, hidden, headers);
  }
  return sendToHost(call, { body: body.bytes, headers: { ...headers, 'content-type': body.contentType } });
}

/**
 * Forwards a request about one of our own kinds: under the group of its custom resource, and with the answer in the client's words.
 * Throws a StatusError for what is refused here.
 */
export async function forwardOwnKind(call: OwnKindCall): Promise<void> {
  const { exchange, route, closing } = call;
  const { accept } = exchange.request.headers;
  const rules = makeRewriteRules(route);
  const isRewritten = rules.apiVersions.size > 0 || rules.hidden.size > 0;
  const isWatch = exchange.info.verb === 'watch';
  const asYaml = isRewritten && !isWatch && wantsYaml(accept);
  const headers = {
    // Custom resources are never written as protobuf, but a Status about them is, and could not be read here.
    ...(accept === undefined ? {} : { accept: asYaml ? 'application/json' : dropProtobuf(accept) }),
    ...(isRewritten ? { 'accept-encoding': undefined } : {}),
    'content-length': undefined,
    'if-none-match': undefined,
  };
  const answer = await send(call, headers);
  const isOne = exchange.info.verb === 'delete';
  if (asYaml || answer.status >= 300 || isOne) return sendWhole(call, answer, asYaml);
  await pumpAnswer(exchange, answer, isRewritten ? rules : undefined, isWatch ? closing : undefined);
}
