import { findLargeNumber, formatLargeNumberFault } from '../../../core/decode/find-large-number.ts';
import { isDeeper, MAX_OBJECT_DEPTH } from '../../../core/decode/is-deeper.ts';
import { parseJson } from '../../../core/decode/parse-json.ts';
import { parseYamlAside } from '../../../platform/decoding/parse-yaml-aside.ts';
import type { ParsedDocument } from '../../../core/decode/parsed-document.ts';
import { makeBadRequestError, makeTooLargeError } from '../../../core/errors/make-status-error.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import type { PatchType } from '../../../platform/resources/resource-client.ts';
import { listFaultWarnings } from './decode-body.ts';
import type { FieldValidation } from './query-parameters.ts';

/** A patch as parsed; `strictFaults` is what strict validation refuses of the patch itself. */
export interface ParsedPatch {
  readonly type: PatchType;
  readonly value: JsonValue;
  readonly strictFaults: readonly string[];
}

const MAX_JSON_PATCH_OPERATIONS = 10000;
const OPERATION_FIELDS = new Set(['op', 'path', 'from', 'value']);
const MAP_TYPE = 'map[string]interface {}';

function nameType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** Go reads null as an empty value. Throws 400 for what is no object. */
function asObject(value: JsonValue, prefix: string): JsonObject {
  if (value === null) return {};
  if (isJsonObject(value)) return value;
  throw makeBadRequestError(`${prefix}json: cannot unmarshal ${nameType(value)} into Go value of type ${MAP_TYPE}`);
}

function listDuplicates(parsed: ParsedDocument): string[] {
  return parsed.duplicates.map((field) => `duplicate field ${quoteGo(field)}`);
}

function checkJsonPatch(value: JsonValue): JsonValue[] {
  if (value === null) return [];
  if (!Array.isArray(value)) {
    throw makeBadRequestError(
      `error decoding patch: json: cannot unmarshal ${nameType(value)} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  for (const operation of value) {
    if (operation !== null && !isJsonObject(operation)) {
      throw makeBadRequestError(
        `error decoding patch: json: cannot unmarshal ${nameType(operation)} into Go value of type handlers.jsonPatchOp`,
      );
    }
    for (const field of ['op', 'path', 'from']) {
      const text = isJsonObject(operation) ? (getOwn(operation, field) ?? '') : '';
      if (typeof text === 'string') continue;
      throw makeBadRequestError(
        `error decoding patch: json: cannot unmarshal ${nameType(text)} into Go struct field jsonPatchOp.${field} of type string`,
      );
    }
  }
  if (value.length > MAX_JSON_PATCH_OPERATIONS) {
    throw makeTooLargeError(
      `The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${value.length}`,
    );
  }
  return value;
}

function listUnknownOperationFields(operations: readonly JsonValue[]): string[] {
  return operations.flatMap((operation, index) =>
    isJsonObject(operation)
      ? Object.keys(operation)
          .filter((field) => !OPERATION_FIELDS.has(field))
          .map((field) => `unknown field ${quoteGo(`[${index}].${field}`)}`)
      : [],
  );
}

/** Parses the body of a PATCH. Throws 400 and 413 with Kubernetes' wording. */
export async function parsePatch(
  type: PatchType,
  bytes: Buffer,
  fieldValidation: FieldValidation,
): Promise<ParsedPatch> {
  if (type === 'application/apply-patch+yaml') return parseApplyPatch(bytes, fieldValidation);
  const prefix = type === 'application/strategic-merge-patch+json' ? '' : 'error decoding patch: ';
  const parsed = parseJson(bytes);
  if ('fault' in parsed) throw makeBadRequestError(prefix + parsed.fault);
  const isOperations = type === 'application/json-patch+json';
  const large = findLargeNumber(parsed.notes);
  if (large !== undefined) {
    const target = isOperations ? 'struct field jsonPatchOp.value' : 'value';
    throw makeBadRequestError(prefix + formatLargeNumberFault(large, target));
  }
  if (isOperations) {
    const operations = checkJsonPatch(parsed.value);
    const faults = [...listUnknownOperationFields(operations), ...listDuplicates(parsed)];
    return { type, value: operations, strictFaults: faults.map((fault) => `json patch ${fault}`) };
  }
  if (type === 'application/merge-patch+json' && parsed.value === null) throw makeBadRequestError('Invalid JSON Patch');
  return { type, value: asObject(parsed.value, prefix), strictFaults: listDuplicates(parsed) };
}

async function parseApplyPatch(bytes: Buffer, fieldValidation: FieldValidation): Promise<ParsedPatch> {
  const parsed = await parseYamlAside(bytes);
  if ('fault' in parsed) {
    throw makeBadRequestError(`error decoding YAML: error converting YAML to JSON: ${parsed.fault}`);
  }
  const value = asObject(parsed.value, 'error decoding YAML: error unmarshaling JSON: while decoding JSON: ');
  if (isDeeper(value, MAX_OBJECT_DEPTH)) throw makeBadRequestError('error decoding YAML: exceeded max depth');
  const strictFaults = fieldValidation === 'Ignore' ? [] : (parsed.strictFaults ?? []);
  return { type: 'application/apply-patch+yaml', value, strictFaults };
}

/** A patch that is a value already, as controllers hand it in. Throws 400 when it is none. */
export function wrapPatch(type: PatchType, value: JsonValue): ParsedPatch {
  if (type === 'application/json-patch+json') return { type, value: checkJsonPatch(value), strictFaults: [] };
  return { type, value: asObject(value, ''), strictFaults: [] };
}

/** Warns of the strict faults of an apply, or refuses them with 400 when validation is strict. */
export function handleApplyFaults(
  patch: ParsedPatch,
  fieldValidation: FieldValidation,
  warn: (text: string) => void,
): void {
  if (patch.strictFaults.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    throw makeBadRequestError(
      `error strict decoding YAML: error converting YAML to JSON: ${patch.strictFaults.join(', ')}`,
    );
  }
  for (const text of listFaultWarnings(patch.strictFaults)) warn(text);
}
