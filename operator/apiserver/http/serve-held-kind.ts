import {
  makeBadRequestError,
  makeConflictError,
  makeInvalidError,
  makeUnsupportedMediaTypeError,
} from '../../../core/errors/make-status-error.ts';
import { deepClone, deepEqual } from '../../../core/meta/deep.ts';
import { isJsonObject } from '../../../core/meta/json.ts';
import { decodeObject } from '../../../kinds/decode-object.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import type { StoredObject } from '../../../platform/store/object-store.ts';
import type { HeldKindHandler, HeldObjectRequest } from '../held-kind-handler.ts';
import { applyPatch, handlePatchFaults, makePatchInvalidError } from '../pipeline/apply-patch.ts';
import { applyDefaults, decodeBody } from '../pipeline/decode-body.ts';
import { makeDeletedStatus } from '../pipeline/delete-object.ts';
import { findTypeFault } from '../pipeline/find-type-fault.ts';
import { makeObjectFilter } from '../pipeline/object-filter.ts';
import { parsePatch } from '../pipeline/parse-patch.ts';
import {
  checkDeleteOptions,
  checkWriteParameters,
  readListParameters,
  readWriteRequest,
  type WriteParameters,
} from '../pipeline/query-parameters.ts';
import { makeKey } from '../pipeline/resource-target.ts';
import { encodeObject, type AnyObject } from '../pipeline/stored-encoding.ts';
import {
  checkName,
  expectKind,
  makeAttributes,
  makeStrategyContext,
  settleNamespace,
} from '../pipeline/write-steps.ts';
import { negotiateFormat } from './accept-header.ts';
import { answerList, answerObject } from './answer-object.ts';
import { makeMethodNotAllowedError } from './method-not-allowed.ts';
import { readBody, readBodyFormat, readPatchType, releaseBody } from './read-body.ts';
import { readDeleteBody } from './read-delete-body.ts';
import type { ResourceCall } from './resource-call.ts';
import { sendObject } from './send-answer.ts';

const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

/** Serves a request about a kind whose objects somebody else holds. Throws a StatusError for every refusal. */
export async function serveHeldKind(call: ResourceCall, handler: HeldKindHandler): Promise<void> {
  const { exchange, name, subresource } = call;
  if (subresource !== undefined || exchange.info.verb === 'watch') throw makeMethodNotAllowedError();
  if (name === '') return exchange.request.method === 'GET' ? list(call, handler) : refuse();
  switch (exchange.request.method) {
    case 'GET':
      return get(call, handler);
    case 'PUT':
      return put(call, handler);
    case 'PATCH':
      return patch(call, handler);
    case 'DELETE':
      return remove(call, handler);
    default:
      return refuse();
  }
}

function refuse(): never {
  throw makeMethodNotAllowedError();
}

function makeRequest({ exchange, namespace = '', name, context }: ResourceCall): HeldObjectRequest {
  return { namespace, name, signal: exchange.signal, warn: context.warn };
}

function encode({ target }: ResourceCall, object: AnyObject): Buffer {
  return encodeObject(object, target.kind.kind, target.kind.apiVersion, object.metadata.resourceVersion);
}

async function list(call: ResourceCall, handler: HeldKindHandler): Promise<void> {
  const { exchange, target, namespace, resources, context } = call;
  const parameters = readListParameters(exchange.query);
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
  const filter = makeObjectFilter(target.kind, parameters.labelSelector, parameters.fieldSelector);
  const page = await handler.list({
    namespace,
    fieldSelector: parameters.fieldSelector,
    matches: (object) => filter.matches(object),
    limit: parameters.limit,
    continue: parameters.continue,
    signal: exchange.signal,
    warn: context.warn,
  });
  const slices = new EventLoopYield();
  const items: StoredObject[] = [];
  for (const object of page.items) {
    await slices.pause();
    const key = makeKey(target.kind, object.metadata.namespace, object.metadata.name ?? '');
    items.push({ key, value: encode(call, object), revision: 0 });
  }
  const metadata = page.continue === undefined ? {} : { continue: page.continue };
  await answerList(exchange, negotiated, target, { metadata, items }, resources.services.now());
}

async function get(call: ResourceCall, handler: HeldKindHandler): Promise<void> {
  const { exchange, target, resources } = call;
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
  const object = await handler.get(makeRequest(call));
  await answerObject(exchange, 200, negotiated, target, encode(call, object), resources.services.now());
}

async function put(call: ResourceCall, handler: HeldKindHandler): Promise<void> {
  const { exchange, target, resources, context } = call;
  const { services } = resources;
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
  const body = await readBody(exchange);
  const write = checkWriteParameters('update', readWriteRequest(exchange.query));
  const format = await readBodyFormat(exchange, body);
  const { object } = decodeBody(body, format, expectKind(services, target), write.fieldValidation, context.warn);
  releaseBody(body);
  exchange.audit?.recordRequest(object);
  applyDefaults(object, target.kind.schema, target.kind.strategy, makeStrategyContext(services));
  checkName(object, call.name);
  const live = await handler.get(makeRequest(call));
  await answerUpdate(call, handler, { live, next: object, write, negotiated });
}

async function patch(call: ResourceCall, handler: HeldKindHandler): Promise<void> {
  const { exchange, target, resources, context } = call;
  const { services } = resources;
  const type = readPatchType(exchange);
  if (!PATCH_TYPES.includes(type)) {
    // Nobody keeps who set which field.
    throw makeUnsupportedMediaTypeError(
      `the body of the request was in an unknown format - accepted media types include: ${PATCH_TYPES.join(', ')}`,
    );
  }
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
  const body = await readBody(exchange);
  const write = checkWriteParameters(type, readWriteRequest(exchange.query));
  const live = await handler.get(makeRequest(call));
  const parsed = await parsePatch(type, body, write.fieldValidation);
  releaseBody(body);
  exchange.audit?.recordPatch(parsed.value);
  const { value, shown } = applyPatch(parsed, live, target.kind.schema);
  const fault = findTypeFault(value, expectKind(services, target));
  if (fault !== undefined || !isJsonObject(value))
    throw makePatchInvalidError(shown(), fault?.fault ?? 'the result is no object');
  const decoded = decodeObject(target.kind, value);
  if ('fault' in decoded) throw makePatchInvalidError(shown(), decoded.fault);
  handlePatchFaults([...parsed.strictFaults, ...decoded.strictFaults], shown, write.fieldValidation, context.warn);
  const next = { ...decoded.object, kind: target.kind.kind, apiVersion: target.kind.apiVersion } as AnyObject;
  if (!isJsonObject(next.metadata)) next.metadata = {};
  applyDefaults(next, target.kind.schema, target.kind.strategy, makeStrategyContext(services));
  checkName(next, call.name);
  await answerUpdate(call, handler, { live, next, write, negotiated });
}

interface HeldUpdate {
  readonly live: AnyObject;
  readonly next: AnyObject;
  readonly write: WriteParameters;
  readonly negotiated: ReturnType<typeof negotiateFormat>;
}

async function answerUpdate(
  call: ResourceCall,
  handler: HeldKindHandler,
  { live, next, write, negotiated }: HeldUpdate,
): Promise<void> {
  const { exchange, target, namespace, name, resources, context } = call;
  const { services } = resources;
  settleNamespace(target, namespace, next);
  checkUid(call, next.metadata.uid ?? '', live);
  if ((next.metadata.resourceVersion ?? '') !== (live.metadata.resourceVersion ?? '')) {
    const fault = 'the object has been modified; please apply your changes to the latest version and try again';
    throw makeConflictError(target.group, target.kind.plural, name, fault);
  }
  const { strategy } = target.kind;
  const strategyContext = makeStrategyContext(services);
  strategy.prepareForUpdate(next, live, strategyContext);
  for (const field of ['uid', 'creationTimestamp'] as const) {
    const value = live.metadata[field];
    if (value) next.metadata[field] = value;
  }
  const faults = strategy.validateUpdate(next, live, strategyContext);
  if (faults.length > 0) throw makeInvalidError(target.group, target.kind.kind, name, faults);
  const attributes = makeAttributes(target, context, {
    operation: 'UPDATE',
    subresource: undefined,
    namespace,
    name,
    object: next,
    oldObject: deepClone(live),
    dryRun: write.dryRun,
    options: write.given,
  });
  await services.admission.mutate(attributes, context);
  await services.admission.validate(attributes, context);
  const isKept = write.dryRun || deepEqual(next, live);
  const result = isKept ? next : await handler.update(makeRequest(call), live, next);
  await answerObject(exchange, 200, negotiated, target, encode(call, result), services.now());
}

function checkUid({ target, name }: ResourceCall, uid: string, live: AnyObject): void {
  if (uid === '' || uid === live.metadata.uid) return;
  const fault = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid ?? ''}`;
  throw makeConflictError(target.group, target.kind.plural, name, fault);
}

async function remove(call: ResourceCall, handler: HeldKindHandler): Promise<void> {
  const { exchange, target, namespace, name, resources, context } = call;
  const { services } = resources;
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
  const options = await readDeleteBody(exchange);
  checkDeleteOptions(options);
  const live = await handler.get(makeRequest(call));
  checkUid(call, options.preconditions?.uid ?? '', live);
  if ((options.preconditions?.resourceVersion ?? '') !== '') {
    throw makeBadRequestError('objects of this kind have no resourceVersion that a deletion could ask for');
  }
  const dryRun = (options.dryRun ?? []).length > 0;
  const attributes = makeAttributes(target, context, {
    ...{ operation: 'DELETE', subresource: undefined, namespace, name, oldObject: live, dryRun },
    options: dryRun ? { dryRun: ['All'] } : {},
  });
  await services.admission.mutate(attributes, context);
  await services.admission.validate(attributes, context);
  if (!dryRun) await handler.delete(makeRequest(call), live);
  await sendObject(exchange, 200, negotiated, makeDeletedStatus(target, live));
}
