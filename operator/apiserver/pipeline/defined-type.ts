import { encodeJson } from '../../../core/decode/encode-json.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid } from '../../../core/errors/make-field-error.ts';
import { makeInvalidError } from '../../../core/errors/make-status-error.ts';
import { isJsonObject, type JsonValue } from '../../../core/meta/json.ts';
import { parseApiVersion } from '../../../core/meta/resource-name.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { readTypeMeta, type TypeFault } from './find-type-fault.ts';
import type { AnyObject } from './stored-encoding.ts';

/**
 * Finds out why a document is no object of a kind that users define, in Kubernetes' words: such a one must say itself what it is, and
 * only its version is looked at before it is validated. `text` is the document where that is quoted; absent: made of the value.
 */
export function findDefinedTypeFault(
  value: JsonValue,
  expected: { readonly apiVersion: string; readonly kind: string },
  text?: string,
): TypeFault | undefined {
  const version = expected.apiVersion.split('/').at(-1) ?? '';
  const unrecognized = { form: 'unrecognized', kind: expected.kind, version } as const;
  const type = readTypeMeta(value);
  if ('fault' in type) return { ...unrecognized, fault: type.fault };
  if (type.kind === '') {
    return { ...unrecognized, fault: `Object 'Kind' is missing in '${(text ?? encodeJson(value)).trimEnd()}'` };
  }
  if (type.apiVersion === expected.apiVersion) return undefined;
  const fault = `the API version in the data (${type.apiVersion}) does not match the expected API version (${expected.apiVersion})`;
  return { ...unrecognized, form: 'other-version', fault };
}

/** The kind and apiVersion that a document gives itself, as fields for an object of a kind that users define. */
export function readOwnType(value: JsonValue): { kind?: string; apiVersion?: string } {
  if (!isJsonObject(value)) return {};
  const { kind, apiVersion } = value;
  return {
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(typeof apiVersion === 'string' ? { apiVersion } : {}),
  };
}

/** Throws 422 for an object that calls itself another kind than the defined one that it is written as. */
export function checkDefinedType(kind: RegisteredKind, object: AnyObject): void {
  if (kind.definedBy === undefined) return;
  const faults = (['kind', 'apiVersion'] as const).flatMap((field) => {
    const given = object[field] ?? '';
    return given === kind[field] ? [] : [makeInvalid(FieldPath.root(field), given, `must be ${kind[field]}`)];
  });
  if (faults.length === 0) return;
  const { group = '' } = parseApiVersion(object.apiVersion ?? '') ?? {};
  throw makeInvalidError(group, object.kind ?? '', object.metadata.name ?? '', faults);
}
