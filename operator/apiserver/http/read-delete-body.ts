import { makeBadRequestError } from '../../../core/errors/make-status-error.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import { StatusError } from '../../../core/errors/status.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import type { DeleteOptions } from '../../../platform/resources/resource-client.ts';
import { readTypeMeta } from '../pipeline/find-type-fault.ts';
import { readDeleteOptions } from '../pipeline/query-parameters.ts';
import type { Exchange } from './exchange.ts';
import { readBody, readBodyFormat } from './read-body.ts';

/** 400 for a field of the wrong type, in Go's wording. */
function makeTypeError(value: JsonValue, field: string, type: string) {
  const name = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return makeBadRequestError(
    `json: cannot unmarshal ${name} into Go struct field DeleteOptions.${field} of type ${type}`,
  );
}

function readInteger(body: JsonObject, field: string): number | undefined {
  const value = getOwn(body, field) ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw makeTypeError(value, field, 'int64');
}

function readText(body: JsonObject, field: string, path = field): string | undefined {
  const value = getOwn(body, field) ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw makeTypeError(value, path, 'string');
}

function readFlag(body: JsonObject, field: string): boolean | undefined {
  const value = getOwn(body, field) ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  throw makeTypeError(value, field, 'bool');
}

function readTexts(body: JsonObject, field: string): string[] | undefined {
  const value = getOwn(body, field) ?? undefined;
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw makeTypeError(value, field, '[]string');
  return value.map((item) => {
    if (typeof item !== 'string') throw makeTypeError(item, field, 'string');
    return item;
  });
}

function readPreconditions(body: JsonObject): { uid?: string; resourceVersion?: string } | undefined {
  const value = getOwn(body, 'preconditions') ?? undefined;
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw makeTypeError(value, 'preconditions', 'v1.Preconditions');
  const uid = readText(value, 'uid', 'preconditions.uid');
  const resourceVersion = readText(value, 'resourceVersion', 'preconditions.resourceVersion');
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

/** Kubernetes hands this fault on as it is, which makes it a 500 without a reason. */
function makeUnreadableOptionsError(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

/** Makes DeleteOptions of a body; a body's options may name any group's version of the kind. */
function decodeDeleteOptions(body: JsonObject): DeleteOptions {
  const kind = readText(body, 'kind') ?? '';
  if (kind !== '' && kind !== 'DeleteOptions') {
    const apiVersion = readText(body, 'apiVersion') ?? 'meta.k8s.io/v1';
    throw makeBadRequestError(
      `no kind ${quoteGo(kind)} is registered for version ${quoteGo(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`,
    );
  }
  const gracePeriodSeconds = readInteger(body, 'gracePeriodSeconds');
  const preconditions = readPreconditions(body);
  const orphanDependents = readFlag(body, 'orphanDependents');
  const propagationPolicy = readText(body, 'propagationPolicy');
  const dryRun = readTexts(body, 'dryRun');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun === undefined ? {} : { dryRun }),
  };
}

/** Reads the options of a deletion: from its body, or from the query when there is none. Throws 400, 413 and 415. */
export async function readDeleteBody(exchange: Exchange): Promise<DeleteOptions> {
  const bytes = await readBody(exchange);
  if (bytes.length === 0) return readDeleteOptions(exchange.query);
  const format = await readBodyFormat(exchange, bytes);
  const parsed = format.parse(bytes, { apiVersion: 'v1', kind: 'DeleteOptions' });
  if ('fault' in parsed) {
    if (format.name === 'protobuf') throw makeUnreadableOptionsError(parsed.fault);
    const prefix = format.name === 'json' ? "couldn't get version/kind; json parse error: " : '';
    throw makeBadRequestError(prefix + parsed.fault);
  }
  if (parsed.value === null) return {};
  if (!isJsonObject(parsed.value)) {
    const type = readTypeMeta(parsed.value);
    throw makeBadRequestError('fault' in type ? type.fault : 'the options are no object');
  }
  const options = decodeDeleteOptions(parsed.value);
  exchange.audit?.recordRequest({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...options });
  return options;
}
