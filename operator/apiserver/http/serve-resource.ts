import {
  makeBadRequestError,
  makeGenericNotFoundError,
  makeNotFoundError,
} from '../../../core/errors/make-status-error.ts';
import { makeAuthorizationDeniedError } from '../authz/authorization-denied.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import { prepareStored } from '../pipeline/convert-stored.ts';
import { createObject } from '../pipeline/create-object.ts';
import { applyDefaults, decodeBody } from '../pipeline/decode-body.ts';
import { deleteCollection, deleteObject, makeDeletedStatus } from '../pipeline/delete-object.ts';
import { getObject } from '../pipeline/get-object.ts';
import { listObjects } from '../pipeline/list-objects.ts';
import { parsePatch } from '../pipeline/parse-patch.ts';
import { patchObject } from '../pipeline/patch-object.ts';
import {
  checkWriteParameters,
  readBoolean,
  readListParameters,
  readWriteRequest,
} from '../pipeline/query-parameters.ts';
import { readRequestedManagers } from '../pipeline/record-managers.ts';
import { replaceObject } from '../pipeline/replace-object.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import { isOnlyCreated, servesVerb, type ResourceTarget } from '../pipeline/resource-target.ts';
import { encodeFor } from '../pipeline/stored-encoding.ts';
import { expectKind, makeStrategyContext, toOwnGroup, type WriteResult } from '../pipeline/write-steps.ts';
import { negotiateFormat, negotiateListFormat } from './accept-header.ts';
import { answerList, answerObject } from './answer-object.ts';
import { checkExists } from './check-exists.ts';
import { readUserAgent, type Exchange } from './exchange.ts';
import { makeMethodNotAllowedError } from './method-not-allowed.ts';
import { readBody, readBodyFormat, readPatchType, releaseBody } from './read-body.ts';
import { readDeleteBody } from './read-delete-body.ts';
import type { ResourceCall } from './resource-call.ts';
import { sendObject } from './send-answer.ts';
import { serveCreateHandler } from './serve-create-handler.ts';
import { serveHeldKind } from './serve-held-kind.ts';
import { serveScale } from './serve-scale.ts';
import { serveWatch } from './serve-watch.ts';

/** How long a write may take before its answer, as Kubernetes bounds it. */
const WRITE_MILLIS = 34_000;

/** Makes what the pipeline knows of a request. */
export function makeContext(
  exchange: Exchange,
  authorizer: Authorizer,
  target: ResourceTarget,
  nowMillis: number,
): RequestContext {
  const { info } = exchange;
  return {
    user: exchange.user,
    userAgent: readUserAgent(exchange),
    deadlineMillis: nowMillis + WRITE_MILLIS,
    warn: (text) => void exchange.warnings.add(text),
    annotate: (key, value) => {
      if (!exchange.auditAnnotations.has(key)) exchange.auditAnnotations.set(key, value);
    },
    authorizeCreate: async () => {
      const attributes = {
        type: 'resource',
        verb: 'create',
        group: target.group,
        version: target.version,
        resource: target.kind.plural,
        ...(info.subresource === '' ? {} : { subresource: info.subresource }),
        ...(info.namespace === '' ? {} : { namespace: info.namespace }),
        name: info.name,
      } as const;
      const decision = await authorizer.authorize(exchange.user, attributes);
      if (!decision.allowed) throw makeAuthorizationDeniedError(exchange.user, attributes, decision.reason);
    },
  };
}

/** Serves a request on a resource, by its method. Throws a StatusError for every refusal. */
export async function serveResource(call: ResourceCall): Promise<void> {
  const { exchange, target, subresource, name } = call;
  if (target.kind.deprecation !== undefined) exchange.warnings.add(target.kind.deprecation);
  const { method = 'GET' } = exchange.request;
  const isAcross = target.kind.namespaced && call.namespace === undefined;
  if (isOnlyCreated(target.kind) && (isAcross || name !== '')) throw makeGenericNotFoundError();
  const holder = call.resources.findHeldKindHandler(target);
  if (holder !== undefined) return serveHeldKind(call, holder);
  if (target.kind.heldBy !== undefined) throw makeGenericNotFoundError();
  if (subresource !== undefined) return serveSubresource(call, subresource);
  if (name === '') return serveCollection(call, method);
  switch (method) {
    case 'GET':
      return requireVerb(call, exchange.info.verb === 'watch' ? 'watch' : 'get', () =>
        exchange.info.verb === 'watch' ? watch(call) : get(call),
      );
    case 'PUT':
      return requireVerb(call, 'update', () => put(call));
    case 'PATCH':
      return requireVerb(call, 'patch', () => patch(call));
    case 'DELETE':
      return requireVerb(call, 'delete', () => remove(call));
    default:
      throw makeMethodNotAllowedError();
  }
}

async function serveCollection(call: ResourceCall, method: string): Promise<void> {
  const { exchange, target, namespace } = call;
  const isAcross = target.kind.namespaced && namespace === undefined;
  switch (method) {
    case 'GET': {
      const isWatch = exchange.info.verb === 'watch';
      return requireVerb(call, isWatch ? 'watch' : 'list', () => (isWatch ? watch(call) : list(call)));
    }
    case 'POST':
      if (isAcross) throw makeMethodNotAllowedError();
      return requireVerb(call, 'create', () => post(call));
    case 'DELETE':
      if (isAcross) throw makeMethodNotAllowedError();
      return requireVerb(call, 'deletecollection', () => removeCollection(call));
    default:
      throw makeMethodNotAllowedError();
  }
}

async function serveSubresource(call: ResourceCall, subresource: string): Promise<void> {
  const { exchange, target, resources } = call;
  const { method = 'GET' } = exchange.request;
  const creator = resources.findCreateHandler(target, subresource);
  if (creator !== undefined) {
    if (method !== 'POST') throw makeMethodNotAllowedError();
    return serveCreateHandler(call, creator);
  }
  if (subresource === 'scale' && target.kind.scale !== undefined) return serveScale(call);
  if (resources.findStrategy(target, subresource, call.context) === undefined) {
    if (target.kind.definedBy === undefined) throw makeGenericNotFoundError();
    throw makeNotFoundError(target.group, target.kind.plural, call.name);
  }
  const verbs = resources.findUpdateHandler(target, subresource)?.verbs ?? ['get', 'update', 'patch'];
  if (method === 'GET' && verbs.includes('get')) return get(call);
  if (method === 'PUT' && verbs.includes('update')) return put(call);
  if (method === 'PATCH' && verbs.includes('patch')) return patch(call);
  throw makeMethodNotAllowedError();
}

async function requireVerb(
  call: ResourceCall,
  verb: Parameters<typeof servesVerb>[1],
  serve: () => Promise<void>,
): Promise<void> {
  if (!servesVerb(call.target.kind, verb)) throw makeMethodNotAllowedError();
  return serve();
}

async function get(call: ResourceCall): Promise<void> {
  const { exchange, target, namespace, name, resources } = call;
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
  if (readBoolean(exchange.query, 'export') === true) {
    throw makeBadRequestError('the export parameter, deprecated since v1.14, is no longer supported');
  }
  const version = exchange.query.get('resourceVersion') ?? '';
  const stored = getObject(resources.services, target, namespace, name, version);
  await prepareStored(target.kind, [stored.value]);
  await answerObject(exchange, 200, negotiated, target, encodeFor(target, stored.value), resources.services.now());
}

async function list(call: ResourceCall): Promise<void> {
  const { exchange, target, namespace, resources } = call;
  const parameters = readListParameters(exchange.query);
  const negotiated = negotiateListFormat(exchange.request.headers.accept);
  const page = await listObjects(resources.services, { target, namespace, parameters });
  await answerList(exchange, negotiated, target, page, resources.services.now());
}

async function watch(call: ResourceCall): Promise<void> {
  const { exchange, target, namespace, name, resources } = call;
  const parameters = readListParameters(exchange.query, true);
  await serveWatch(resources.services, exchange, {
    target,
    namespace,
    parameters,
    ...(name === '' ? {} : { name }),
  });
}

async function answerWrite(
  call: ResourceCall,
  result: WriteResult,
  negotiated: ReturnType<typeof negotiateFormat>,
): Promise<void> {
  const { exchange, target, resources } = call;
  const code = result.created ? 201 : 200;
  await answerObject(exchange, code, negotiated, target, result.bytes, resources.services.now());
}

async function post(call: ResourceCall): Promise<void> {
  const { exchange, target, namespace, resources, context } = call;
  const creator = resources.findCreateHandler(target, undefined);
  if (creator !== undefined) return serveCreateHandler(call, creator);
  const { services } = resources;
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
  const body = await readBody(exchange);
  const format = await readBodyFormat(exchange, body);
  const write = checkWriteParameters('create', readWriteRequest(exchange.query));
  const decoded = decodeBody(body, format, expectKind(services, target), write.fieldValidation, context.warn);
  releaseBody(body);
  exchange.audit?.recordRequest(decoded.object);
  const object = toOwnGroup(target, decoded.object);
  applyDefaults(object, target.kind.schema, target.kind.strategy, makeStrategyContext(services));
  const requestedManagedFields = readRequestedManagers(target, decoded.raw);
  const request = { target, namespace, object, requestedManagedFields, write };
  await answerWrite(call, await createObject(services, request, context), negotiated);
}

async function put(call: ResourceCall): Promise<void> {
  const { exchange, target, namespace, name, subresource, resources, context } = call;
  const { services } = resources;
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
  const body = await readBody(exchange);
  const write = checkWriteParameters('update', readWriteRequest(exchange.query));
  const format = await readBodyFormat(exchange, body);
  const decoded = decodeBody(body, format, expectKind(services, target), write.fieldValidation, context.warn);
  releaseBody(body);
  exchange.audit?.recordRequest(decoded.object);
  const object = toOwnGroup(target, decoded.object);
  applyDefaults(object, target.kind.schema, target.kind.strategy, makeStrategyContext(services));
  const strategy = resources.findStrategy(target, subresource, context) ?? target.kind.strategy;
  const requestedManagedFields = readRequestedManagers(target, decoded.raw);
  const request = { target, namespace, name, subresource, strategy, object, requestedManagedFields, write };
  await answerWrite(call, await replaceObject(services, request, context), negotiated);
}

async function patch(call: ResourceCall): Promise<void> {
  const { exchange, target, namespace, name, subresource, resources, context } = call;
  const type = readPatchType(exchange, target.kind.definedBy !== undefined);
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
  const body = await readBody(exchange);
  const write = checkWriteParameters(type, readWriteRequest(exchange.query));
  const strategy = resources.findStrategy(target, subresource, context) ?? target.kind.strategy;
  if (type !== 'application/apply-patch+yaml') checkExists(call);
  const parsed = await parsePatch(type, body, write.fieldValidation);
  releaseBody(body);
  exchange.audit?.recordPatch(parsed.value);
  const request = { target, namespace, name, subresource, strategy, write, patch: parsed };
  await answerWrite(call, await patchObject(resources.services, request, context), negotiated);
}

async function remove(call: ResourceCall): Promise<void> {
  const { exchange, target, namespace, name, resources, context } = call;
  const { services } = resources;
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
  const options = await readDeleteBody(exchange);
  const result = await deleteObject(services, { target, namespace, name, options }, context);
  const code = !result.removed && options.orphanDependents === false ? 202 : 200;
  if (result.removed && target.kind.returnsDeletedObject !== true) {
    await sendObject(exchange, code, negotiated, makeDeletedStatus(target, result.object));
  } else {
    await answerObject(exchange, code, negotiated, target, result.bytes, services.now());
  }
}

async function removeCollection(call: ResourceCall): Promise<void> {
  const { exchange, target, namespace, resources, context } = call;
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
  const parameters = readListParameters(exchange.query);
  const options = await readDeleteBody(exchange);
  const { services } = resources;
  const page = await deleteCollection(services, { target, namespace, parameters }, options, context);
  // The specification has a Status here, where Kubernetes answers what it deleted.
  if (target.kind.definedBy !== undefined) return answerList(exchange, negotiated, target, page, services.now());
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { ...(target.group === '' ? {} : { group: target.group }), kind: target.kind.plural },
    code: 200,
  };
  await sendObject(exchange, 200, negotiated, status);
}
