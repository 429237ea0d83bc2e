import { makeConflictError, makeInvalidError, makeNotFoundError } from '../../../core/errors/make-status-error.ts';
import { deepClone, deepEqual } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { applySchemaDefaults } from '../../../core/schema/apply-schema-defaults.ts';
import { updateManagedFields } from '../../../core/apply/update-managed-fields.ts';
import { chooseFieldManager } from '../../../core/apply/choose-field-manager.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { StoreConflict } from '../../../platform/store/object-store.ts';
import { AdmissionChain } from '../pipeline/admission-chain.ts';
import { decodeBody } from '../pipeline/decode-body.ts';
import { deleteObject } from '../pipeline/delete-object.ts';
import type { ExpectedKind } from '../pipeline/expected-kind.ts';
import { isKnownKind } from '../pipeline/is-known-kind.ts';
import { checkWriteParameters, readWriteRequest, type WriteParameters } from '../pipeline/query-parameters.ts';
import { findTarget, makeKey } from '../pipeline/resource-target.ts';
import { decodeAs, encodeStored, type AnyObject } from '../pipeline/stored-encoding.ts';
import { makeAttributes, makeStrategyContext, settleNamespace } from '../pipeline/write-steps.ts';
import type { CreateHandler, SubresourceAnswer, SubresourceContext } from '../subresource-handler.ts';
import { negotiateFormat, type NegotiatedFormat } from './accept-header.ts';
import type { Exchange } from './exchange.ts';
import { makeConversionError, makePartialObject } from './make-table.ts';
import { readBody, readBodyFormat } from './read-body.ts';
import { sendObject } from './send-answer.ts';
import type { ResourceCall } from './resource-call.ts';

const MAX_ATTEMPTS = 100;

function expectBody({ resources, target }: ResourceCall, handler: CreateHandler): ExpectedKind {
  return {
    apiVersion: handler.bodyApiVersion,
    kind: handler.bodyKind,
    ...(handler.olderBodyApiVersions === undefined ? {} : { olderApiVersions: handler.olderBodyApiVersions }),
    schema: handler.bodySchema ?? target.kind.schema,
    isServed: (group, version, kind) => isKnownKind(resources.services.registry, group, version, kind),
  };
}

/** Serves POST on a subresource or a create-only kind that has a handler. Throws a StatusError for every refusal. */
export async function serveCreateHandler(call: ResourceCall, handler: CreateHandler): Promise<void> {
  const { exchange, target, namespace, name, resources, context, subresource } = call;
  const { services } = resources;
  const negotiated = negotiateFormat(exchange.request.headers.accept, 'metadata');
  const bytes = await readBody(exchange);
  const format = await readBodyFormat(exchange, bytes);
  const write = checkWriteParameters('create', readWriteRequest(exchange.query));
  const expected = expectBody(call, handler);
  const { object: body } = decodeBody(bytes, format, expected, write.fieldValidation, context.warn);
  exchange.audit?.recordRequest(body);
  applySchemaDefaults(body, expected.schema);
  handler.applyDefaults?.(body);
  if (target.kind.namespaced) settleNamespace(target, namespace, body);
  const managedFields = updateManagedFields({
    live: undefined,
    next: body,
    manager: chooseFieldManager(write.fieldManager, context.userAgent),
    apiVersion: expected.apiVersion,
    ...(subresource === undefined ? {} : { subresource }),
    nowMillis: services.now(),
    schema: expected.schema,
  });
  if (managedFields !== undefined) body.metadata.managedFields = managedFields;
  const handlerContext = makeHandlerContext(call, write, findParent(call, handler, body));
  if (subresource === undefined) {
    target.kind.strategy.applyDefaults(body, makeStrategyContext(services));
    await handlerContext.admit(body);
    validateReview(call, body);
  }
  const answer = await handler.handle(
    {
      kind: target.kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      body,
      user: exchange.user,
      dryRun: write.dryRun,
      fieldManager: chooseFieldManager(write.fieldManager, context.userAgent),
    },
    handlerContext,
  );
  await sendAnswer(exchange, negotiated, expected, answer);
}

/** Answers what a handler made, or its metadata alone; a Status is answered whole, as everywhere. */
async function sendAnswer(
  exchange: Exchange,
  negotiated: NegotiatedFormat,
  { apiVersion, kind }: ExpectedKind,
  { code, object }: SubresourceAnswer,
): Promise<void> {
  const { convert } = negotiated;
  if (convert === undefined || object.kind === 'Status') return sendObject(exchange, code, negotiated, object);
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  if (convert.kind !== 'PartialObjectMetadata') throw makeConversionError(convert, { group, kind });
  await sendObject(exchange, code, negotiated, makePartialObject(object as AnyObject, convert.apiVersion));
}

/** Which object a handler may change. */
interface HandlerParent {
  readonly kind: RegisteredKind;
  readonly name: string;
}

function findParent({ target, name, resources }: ResourceCall, handler: CreateHandler, body: AnyObject): HandlerParent {
  if (handler.parentResource === undefined) return { kind: target.kind, name };
  const kind = resources.services.registry.find(target.group, target.kind.version, handler.parentResource);
  if (kind === undefined) throw new Error(`there is no kind with the plural ${handler.parentResource}`);
  return { kind, name: body.metadata.name ?? '' };
}

/** A create-only kind is validated by its strategy; its metadata is not, since it is never stored. */
function validateReview({ target, resources }: ResourceCall, body: AnyObject): void {
  const strategyContext = makeStrategyContext(resources.services);
  target.kind.strategy.prepareForCreate(body, strategyContext);
  const faults = target.kind.strategy.validateCreate(body, strategyContext);
  if (faults.length > 0) throw makeInvalidError(target.group, target.kind.kind, body.metadata.name ?? '', faults);
}

function makeHandlerContext(call: ResourceCall, write: WriteParameters, parent: HandlerParent): SubresourceContext {
  const { target, namespace, name, resources, context, subresource } = call;
  const { services } = resources;
  return {
    client: resources.clientWith(context),
    warn: context.warn,
    updateParent: (change) => updateParent(call, parent, write, change),
    async deleteParent(options) {
      const parentTarget =
        findTarget(services.registry, target.group, target.kind.version, parent.kind.plural) ?? target;
      const request = { target: parentTarget, namespace, name: parent.name, options };
      await deleteObject({ ...services, admission: new AdmissionChain() }, request, context);
    },
    admit: async (body: KubeObject) => {
      const attributes = makeAttributes(target, context, {
        operation: 'CREATE',
        subresource,
        namespace,
        name,
        object: body,
        dryRun: write.dryRun,
        options: write.given,
        body: { apiVersion: body.apiVersion, kind: body.kind },
      });
      await services.admission.mutate(attributes, context);
      await services.admission.validate(attributes, context);
    },
  };
}

async function updateParent(
  { target, namespace, resources }: ResourceCall,
  { kind, name }: HandlerParent,
  write: WriteParameters,
  change: (object: AnyObject) => void,
): Promise<AnyObject> {
  const { store } = resources.services;
  const key = makeKey(kind, namespace, name);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = store.getLatest(key);
    if (stored === undefined) throw makeNotFoundError(target.group, kind.plural, name);
    const live = decodeAs(kind, stored.value);
    const next = deepClone(live);
    change(next);
    if (write.dryRun || deepEqual(next, live)) return next;
    try {
      await store.commit({
        type: 'update',
        key,
        expectedRevision: stored.revision,
        encode: (revision) => {
          next.metadata.resourceVersion = String(revision);
          return encodeStored(next, kind, revision);
        },
      });
      return next;
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
  }
  throw makeConflictError(
    target.group,
    kind.plural,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}
