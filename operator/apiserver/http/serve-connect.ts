import { makeBadRequestError, makeGenericNotFoundError } from '../../../core/errors/make-status-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { EmbeddedResources } from '../pipeline/embedded-resources.ts';
import type { ConnectHandler } from '../held-kind-handler.ts';
import { negotiateFormat } from './accept-header.ts';
import type { Exchange } from './exchange.ts';
import { makeMethodNotAllowedError } from './method-not-allowed.ts';
import { readBody } from './read-body.ts';
import { sendObject, setCommonHeaders } from './send-answer.ts';
import { sendChunks } from './send-chunks.ts';

const METHODS = { create: 'POST', get: 'GET' } as const;
const MAX_PARTS = 3;

/** Serves a request of a subresource that is passed on. Throws a StatusError for every refusal. */
export async function serveConnect(
  resources: EmbeddedResources,
  exchange: Exchange,
  handler: ConnectHandler,
): Promise<void> {
  const { info, request, query } = exchange;
  if (info.parts.length > MAX_PARTS || info.namespace === '' || info.verb === 'proxy') throw makeGenericNotFoundError();
  if (request.method !== METHODS[handler.verb] || info.verb === 'watch') throw makeMethodNotAllowedError();
  const { accept } = request.headers;
  const isStreamed = handler.streamTypes.some((type) => accept?.includes(type) === true);
  const negotiated = negotiateFormat(isStreamed ? undefined : accept, 'none');
  if (handler.verb === 'create') await refuseBody(exchange);
  const answer = await handler.serve({
    namespace: info.namespace,
    name: info.name,
    query,
    headers: request.headers,
    user: exchange.user,
    signal: exchange.signal,
    admit: (options) => admit(resources, exchange, handler, options),
    releaseSeats: () => exchange.flow?.release(),
  });
  if (answer.type === 'object') return sendObject(exchange, answer.code, negotiated, answer.object);
  await sendStream(exchange, answer);
}

/** What is asked for is in the query. Throws 400 for a body that says anything, 413 for a great one. */
async function refuseBody(exchange: Exchange): Promise<void> {
  const text = (await readBody(exchange)).toString('utf8').trim();
  if (text !== '' && text !== '{}') {
    throw makeBadRequestError('the options of this request belong into its query: the body must be empty');
  }
}

async function admit(
  resources: EmbeddedResources,
  { info, user, warnings, auditAnnotations }: Exchange,
  { target, answerKind }: ConnectHandler,
  options: JsonObject,
): Promise<void> {
  const report = {
    warn: (text: string) => void warnings.add(text),
    annotate: (key: string, value: string) => {
      if (!auditAnnotations.has(key)) auditAnnotations.set(key, value);
    },
  };
  const attributes = {
    operation: 'CONNECT',
    resource: { group: target.group, version: target.version, resource: target.resource },
    kind: `${answerKind.kind}Options`,
    subresource: target.subresource,
    namespace: info.namespace,
    name: info.name,
    object: {
      apiVersion: answerKind.apiVersion,
      kind: `${answerKind.kind}Options`,
      metadata: {},
      ...options,
    } as KubeObject,
    dryRun: false,
    user,
  } as const;
  await resources.services.admission.mutate(attributes, report);
  await resources.services.admission.validate(attributes, report);
}

/** Sends a body as fast as the client takes it. An error in the middle breaks the answer off, so that the client sees that it is not whole. */
async function sendStream(
  exchange: Exchange,
  answer: { code: number; headers: Readonly<Record<string, string>>; body: AsyncIterable<Uint8Array | string> },
): Promise<void> {
  const { response, signal } = exchange;
  if (response.headersSent || response.destroyed) return;
  setCommonHeaders(exchange);
  response.statusCode = answer.code;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.flushHeaders();
  await sendChunks(response, answer.body, signal);
}
