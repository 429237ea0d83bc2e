import { parseJson } from '../../../core/decode/parse-json.ts';
import type { ParsedDocument } from '../../../core/decode/parsed-document.ts';
import { makeBadRequestError } from '../../../core/errors/make-status-error.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { applySchemaDefaults } from '../../../core/schema/apply-schema-defaults.ts';
import type { StructuralSchema } from '../../../core/schema/structural-schema.ts';
import { decodeObject } from '../../../kinds/decode-object.ts';
import type { KindStrategy, StrategyContext } from '../../../kinds/kind-definition.ts';
import { findDefinedTypeFault, readOwnType } from './defined-type.ts';
import type { ExpectedKind } from './expected-kind.ts';
import { findTypeFault } from './find-type-fault.ts';
import type { FieldValidation } from './query-parameters.ts';
import type { AnyObject } from './stored-encoding.ts';

/** Bytes that could not be parsed; `type` is there where the type of the object was known before the fault. */
export interface BodyFault {
  readonly fault: string;
  readonly type?: { readonly apiVersion: string; readonly kind: string };
}

/** How a body is written, and its parser. */
export interface BodyFormat {
  readonly name: 'json' | 'yaml' | 'protobuf';
  /** `expected` fills what a body leaves out of its type, where that decides how it is read. */
  parse(bytes: Uint8Array, expected: Pick<ExpectedKind, 'apiVersion' | 'kind'>): ParsedDocument | BodyFault;
}

export const jsonFormat: BodyFormat = { name: 'json', parse: parseJson };

/** An object as the client sent it, and as it was decoded. */
export interface DecodedBody {
  readonly object: AnyObject;
  /** As parsed: with unknown fields, and before anything was normalised. */
  readonly raw: JsonObject;
}

const PREVIEW_BYTES = 30;
const OPENING_BRACE = 0x7b;

/** The start of a body, as Kubernetes quotes it: text when it begins as a JSON object, hexadecimal otherwise. */
function printBody(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const start = bytes.subarray(0, PREVIEW_BYTES);
  const more = bytes.length > PREVIEW_BYTES ? ' ...' : '';
  return (bytes[0] === OPENING_BRACE ? start.toString('utf8') : start.toString('hex')) + more;
}

function makeUnrecognizedError(expected: ExpectedKind, fault: string, bytes: Buffer) {
  return makeBadRequestError(
    `the object provided is unrecognized (must be of type ${expected.kind}): ${fault} (${printBody(bytes)})`,
  );
}

function makeUnhandledError(expected: ExpectedKind, kind: string, version: string, fault: string) {
  return makeBadRequestError(
    `${kind} in version ${quoteGo(version)} cannot be handled as a ${expected.kind}: ${fault}`,
  );
}

/** Parses a body. Throws 400 with Kubernetes' wording for what is not of its format. */
function parseBody(bytes: Buffer, format: BodyFormat, expected: ExpectedKind): ParsedDocument {
  const parsed = format.parse(bytes, expected);
  if ('fault' in parsed) {
    const { fault, type } = parsed;
    if (type !== undefined) {
      throw makeUnhandledError(expected, type.kind, type.apiVersion.split('/').at(-1) ?? '', fault);
    }
    const syntax = format.name === 'json' ? `couldn't get version/kind; json parse error: ${fault}` : fault;
    throw makeUnrecognizedError(expected, syntax, bytes);
  }
  return parsed;
}

/**
 * Checks that a body is of the kind that the endpoint serves, which also fills an absent apiVersion and kind. Throws 400 with
 * Kubernetes' wording; answers the text of that for a body of another version, which is decoded before it is refused.
 */
function checkTypeMeta(
  value: JsonValue,
  expected: ExpectedKind,
  bytes: Buffer,
  format: BodyFormat,
): string | undefined {
  const found =
    expected.decode === undefined
      ? findTypeFault(value, expected)
      : findDefinedTypeFault(value, expected, format.name === 'json' ? bytes.toString('utf8') : undefined);
  if (found === undefined) return undefined;
  if (found.form === 'unrecognized') throw makeUnrecognizedError(expected, found.fault, bytes);
  if (found.form === 'other-version') return found.fault;
  throw makeUnhandledError(expected, found.kind, found.version, found.fault);
}

/** The texts of `Warning` headers for strict faults; a fault of several lines is several warnings. */
export function listFaultWarnings(faults: readonly string[]): string[] {
  return faults.flatMap((fault) => {
    const trimmed = fault.replace(/^(error converting YAML to JSON: )?yaml: unmarshal errors:\n/, '');
    return trimmed === fault ? [fault] : trimmed.split('\n').map((line) => line.trim());
  });
}

/** Makes a decoded object whole: kind, apiVersion and metadata are there whatever the body had. */
function completeObject(object: JsonObject, expected: ExpectedKind): AnyObject {
  object['apiVersion'] = expected.apiVersion;
  object['kind'] = expected.kind;
  if (!isJsonObject(object['metadata'])) object['metadata'] = {};
  return object as AnyObject;
}

/**
 * Decodes a body as the kind that the endpoint serves; nothing is defaulted yet. Unknown and duplicate fields warn, or are
 * refused when validation is strict. Throws 400 with Kubernetes' wording.
 */
export function decodeBody(
  bytes: Buffer,
  format: BodyFormat,
  expected: ExpectedKind,
  fieldValidation: FieldValidation,
  warn: (text: string) => void,
): DecodedBody {
  const parsed = parseBody(bytes, format, expected);
  const otherVersion = checkTypeMeta(parsed.value, expected, bytes, format);
  const raw = isJsonObject(parsed.value) ? parsed.value : {};
  const given = raw['apiVersion'];
  const isOlder = typeof given === 'string' && expected.olderApiVersions?.includes(given) === true;
  const version = (isOlder ? given : expected.apiVersion).split('/').at(-1) ?? '';
  const decoded = decodeObject(expected, raw, { notes: parsed.notes });
  if ('fault' in decoded) throw makeUnhandledError(expected, expected.kind, version, decoded.fault);
  if (fieldValidation !== 'Ignore') {
    const faults = [...(parsed.strictFaults ?? []), ...decoded.strictFaults];
    if (faults.length > 0 && fieldValidation === 'Strict') {
      throw makeUnhandledError(expected, expected.kind, version, `strict decoding error: ${faults.join(', ')}`);
    }
    for (const text of listFaultWarnings(faults)) warn(text);
  }
  if (otherVersion !== undefined) throw makeBadRequestError(otherVersion);
  const object = completeObject(decoded.object, expected);
  // Objects of kinds that users define are only told by their validation that they are of another kind.
  if (expected.decode !== undefined) Object.assign(object, readOwnType(raw));
  return { object, raw };
}

/** Decodes an object that is a value already, as controllers hand it in; unknown fields are dropped. Throws 400. */
export function decodeValue(value: KubeObject, expected: ExpectedKind): AnyObject {
  const decoded = decodeObject(expected, value as unknown as JsonValue);
  if ('fault' in decoded) {
    throw makeUnhandledError(expected, expected.kind, expected.apiVersion.split('/').at(-1) ?? '', decoded.fault);
  }
  return completeObject(decoded.object, expected);
}

/** Fills the defaults of the schema and of the kind, in place. */
export function applyDefaults(
  object: AnyObject,
  schema: StructuralSchema,
  strategy: Pick<KindStrategy<KubeObject>, 'applyDefaults' | 'fillsSchemaDefaults'>,
  context: StrategyContext,
): void {
  if (strategy.fillsSchemaDefaults !== true) applySchemaDefaults(object, schema);
  strategy.applyDefaults(object, context);
}
