import { quoteGo } from '../../../core/errors/quote-go.ts';
import { getOwn, isJsonObject, type JsonValue } from '../../../core/meta/json.ts';
import { decodeObject } from '../../../kinds/decode-object.ts';
import type { ExpectedKind } from './expected-kind.ts';

/** Kubernetes' words name the place in its source where kinds are registered. */
const SCHEME = 'scheme "pkg/runtime/scheme.go:110"';
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** What is wrong with the type of a document, in Kubernetes' words. */
export interface TypeFault {
  /** The type cannot be read; or the document is of another kind; or of the kind, but of another version. */
  readonly form: 'unrecognized' | 'other-kind' | 'other-version';
  readonly fault: string;
  /** As the document has it, or as expected. */
  readonly kind: string;
  /** Without its group. */
  readonly version: string;
}

/** What an apiVersion reads as: `v1` has an empty group. Anything with more than one slash is a fault. */
function splitApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const parts = apiVersion.split('/');
  if (parts.length === 1) return { group: '', version: apiVersion };
  if (parts.length === 2) return { group: parts[0] ?? '', version: parts[1] ?? '' };
  return undefined;
}

function nameJsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** Reads the type of a document, empty where it has none: a fault in Kubernetes' words where something has the wrong JSON type. */
export function readTypeMeta(value: JsonValue): { apiVersion: string; kind: string } | { fault: string } {
  const prefix = "couldn't get version/kind; json parse error: json: cannot unmarshal";
  if (value === null) return { apiVersion: '', kind: '' };
  if (!isJsonObject(value)) return { fault: `${prefix} ${nameJsonType(value)} into Go value of type ${TYPE_META}` };
  const apiVersion = getOwn(value, 'apiVersion') ?? '';
  if (typeof apiVersion !== 'string') {
    return { fault: `${prefix} ${nameJsonType(apiVersion)} into Go struct field .apiVersion of type string` };
  }
  const kind = getOwn(value, 'kind') ?? '';
  if (typeof kind !== 'string') {
    return { fault: `${prefix} ${nameJsonType(kind)} into Go struct field .kind of type string` };
  }
  return { apiVersion, kind };
}

/** Finds out why a document is not of the kind that is expected; what it does not say of its type is taken as expected. */
export function findTypeFault(value: JsonValue, expected: ExpectedKind): TypeFault | undefined {
  const wanted = splitApiVersion(expected.apiVersion) ?? { group: '', version: expected.apiVersion };
  const type = readTypeMeta(value);
  const unrecognized = { form: 'unrecognized', kind: expected.kind, version: wanted.version } as const;
  if ('fault' in type) return { ...unrecognized, fault: type.fault };
  const actual = splitApiVersion(type.apiVersion);
  if (actual === undefined) return { ...unrecognized, fault: `unexpected GroupVersion string: ${type.apiVersion}` };
  const kind = type.kind === '' ? expected.kind : type.kind;
  const version = actual.version === '' ? wanted.version : actual.version;
  const group = type.apiVersion === '' ? wanted.group : actual.group;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const isTaken = apiVersion === expected.apiVersion || expected.olderApiVersions?.includes(apiVersion) === true;
  if (kind === expected.kind && isTaken) return undefined;
  if (!expected.isServed(group, version, kind)) {
    const fault = `no kind ${quoteGo(kind)} is registered for version ${quoteGo(apiVersion)} in ${SCHEME}`;
    return { form: 'other-kind', fault, kind, version };
  }
  const other = expected.findKind?.(group, version, kind);
  const decoded = other === undefined ? undefined : decodeObject(other, value);
  if (decoded !== undefined && 'fault' in decoded) return { form: 'other-kind', fault: decoded.fault, kind, version };
  if (kind === expected.kind) {
    const fault = `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`;
    return { form: 'other-version', fault, kind, version };
  }
  const internal = `${wanted.group.split('.')[0] || 'core'}.${expected.kind}`;
  const fault = `converting (${version}.${kind}) to (${internal}): unknown conversion`;
  return { form: 'other-kind', fault, kind, version };
}
