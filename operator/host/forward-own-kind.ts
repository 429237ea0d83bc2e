import { makeGenericNotFoundError } from '../../core/errors/make-status-error.ts';
import { isJsonObject, type JsonValue } from '../../core/meta/json.ts';
import type { HostAnswer } from '../../platform/kube/host-connection.ts';
import { renameFromHost } from '../../platform/resources/host-groups.ts';
import { parseHostJson, readHostText } from '../../platform/resources/read-host-answer.ts';
import { negotiateErrorFormat, negotiateFormat, type NegotiatedFormat } from '../apiserver/http/accept-header.ts';
import { readIncludeObject } from '../apiserver/http/make-table.ts';
import { readBody } from '../apiserver/http/read-body.ts';
import { sendObject, wantsPretty } from '../apiserver/http/send-answer.ts';
import { chooseDeletionAnswer, makeCollectionDeleted, readBeforeDeletion } from './answer-deletion.ts';
import { hasBody, wholeAnswer } from './forward-headers.ts';
import { sendToHost, type ForwardCall } from './forward-request.ts';
import { hideMembers, listHiddenMembers } from './hidden-members.ts';
import { dropProtobuf } from './host-discovery.ts';
import type { OwnRoute } from './host-route.ts';
import { JsonRewriter, type RewriteRules } from './json-rewriter.ts';
import { JsonSplitter } from './json-splitter.ts';
import { OwnKindView } from './own-kind-view.ts';
import { pumpAnswer, startAnswer, type Rewriter } from './pump-answer.ts';
import { renameMessage } from './rename-message.ts';
import { renameRequestBody } from './rename-request-body.ts';
import { isAppliedHere, sendPatch } from './send-patch.ts';
import { sendUpdate } from './send-update.ts';

/** A request about one of our kinds on its way to the host. */
export interface OwnKindCall extends ForwardCall {
  readonly route: OwnRoute;
  readonly domain: string;
  readonly nowMillis: number;
}

function makeRewriteRules(route: OwnRoute): RewriteRules {
  const apiVersions = new Map(route.renaming === undefined ? [] : [[route.hostApiVersion, route.apiVersion]]);
  return { apiVersions, hidden: listHiddenMembers(route.kind) };
}

/** Answers with the whole body at once, in the form that the client wants. */
async function sendWhole(
  call: OwnKindCall,
  answer: HostAnswer,
  view: OwnKindView,
  negotiated: NegotiatedFormat,
  choose: (value: JsonValue) => JsonValue = (value) => value,
): Promise<void> {
  const { exchange, route } = call;
  const text = await readHostText(answer.body);
  let value: JsonValue;
  try {
    value = choose(parseHostJson(text));
  } catch {
    // The host's outermost filters answer text.
    startAnswer(exchange, answer, true);
    exchange.response.end(text);
    return;
  }
  if (route.renaming !== undefined) renameFromHost(route.renaming, value);
  if (isJsonObject(value) && value['kind'] === 'Status') renameMessage(value, route);
  hideMembers(value, listHiddenMembers(route.kind));
  view.complete(value);
  startAnswer(exchange, answer, true);
  await sendObject(exchange, answer.status, negotiated, view.tabulate(value));
}

function servesSubresource({ exchange, route }: OwnKindCall): boolean {
  const { subresource, parts } = exchange.info;
  return (
    subresource === '' || (subresource === 'status' && parts.length === 3 && route.kind.strategy.status !== undefined)
  );
}

/** Sends the request to the host, its body as the host must get it. */
async function send(call: OwnKindCall, headers: Record<string, string | undefined>): Promise<HostAnswer> {
  const { exchange, route } = call;
  const { request } = exchange;
  if (!hasBody(request.headers)) return sendToHost(call, { headers });
  const bytes = await readBody(exchange);
  // DeleteOptions are the same for every kind.
  if (request.method === 'DELETE') return sendToHost(call, { body: bytes, headers });
  const { subresource } = exchange.info;
  const hidden = listHiddenMembers(route.kind);
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (request.method === 'PATCH' && isAppliedHere(mediaType, subresource, hidden)) {
    return sendPatch(call, mediaType, bytes, hidden, headers);
  }
  const dropped = subresource === 'status' ? hidden : new Map();
  const body = await renameRequestBody(bytes, request.headers['content-type'], route, dropped);
  if (request.method === 'PUT') return sendUpdate(call, body, hidden, headers);
  return sendToHost(call, { body: body.bytes, headers: { ...headers, 'content-type': body.contentType } });
}

/** What changes the answer as it passes by; empty when it may pass as it is. */
function listRewriters({ route, exchange }: OwnKindCall, view: OwnKindView): Rewriter[] {
  const rules = makeRewriteRules(route);
  const rewriters: Rewriter[] = [];
  if (rules.apiVersions.size > 0 || rules.hidden.size > 0) rewriters.push(new JsonRewriter(rules));
  if (!view.changesObjects) return rewriters;
  const { verb } = exchange.info;
  if (verb === 'watch') rewriters.push(new JsonSplitter('documents', (event) => view.showEvent(event)));
  else {
    rewriters.push(new JsonSplitter(verb === 'list' ? 'items' : 'documents', (object) => view.showObject(object)));
  }
  return rewriters;
}

/**
 * Forwards a request about one of our own kinds: under the group of its custom resource, and with the answer in the client's words.
 * Throws a StatusError for what is refused here.
 */
export async function forwardOwnKind(call: OwnKindCall): Promise<void> {
  const { exchange, route, closing, domain, nowMillis } = call;
  const { request, info, query } = exchange;
  const { accept } = request.headers;
  if (!servesSubresource(call)) throw makeGenericNotFoundError();
  const isWatch = info.verb === 'watch';
  const negotiated = negotiateFormat(accept, 'all');
  const { convert } = negotiated;
  const view = new OwnKindView({
    ...{ kind: route.kind, domain, nowMillis },
    ...(convert?.kind === 'Table' ? { table: { conversion: convert, include: readIncludeObject(query) } } : {}),
  });
  const isConverted = convert?.kind === 'Table' || negotiated.format === 'yaml';
  const rewriters = listRewriters(call, view);
  const deleted = await readBeforeDeletion(call);
  const answer = await send(call, {
    // Custom resources are never written as protobuf, but a Status about them is, and could not be read here.
    ...(accept === undefined ? {} : { accept: isConverted ? 'application/json' : dropProtobuf(accept) }),
    ...wholeAnswer,
    'content-length': undefined,
  });
  if (answer.status >= 300) return sendWhole(call, answer, view, negotiateErrorFormat(accept));
  if (info.verb === 'deletecollection') {
    answer.body.resume();
    startAnswer(exchange, answer, true);
    return sendObject(exchange, answer.status, negotiated, makeCollectionDeleted(route));
  }
  const isWhole = isConverted || info.verb === 'delete' || wantsPretty(exchange, negotiated);
  if (isWhole && !isWatch) {
    return sendWhole(call, answer, view, negotiated, (value) => chooseDeletionAnswer(value, deleted));
  }
  await pumpAnswer(exchange, answer, rewriters, isWatch ? closing : undefined);
}
