import type { FieldErrorType } from '../core/errors/field-error.ts';
import type { JsonObject, JsonValue } from '../core/meta/json.ts';

/**
 * One rule of a kind as data: an object that keeps it, and one that breaks it with the error that answers. Tests of the kind
 * and of the running service read the same rows. `{domain}` stands for the installation's domain in apiVersions.
 */
export interface RuleCase {
  /** Unique name, such as `ResourceQuota.spec.scopes.conflict`. */
  readonly rule: string;
  /** The row or sentence of the specification; `Kubernetes 1.34` where it is silent. */
  readonly spec: string;
  readonly accepted: JsonObject;
  readonly rejected?: JsonObject;
  /** The stored object that both change; absent: they are created. */
  readonly old?: JsonObject;
  /** Both are written through this subresource. */
  readonly subresource?: 'status';
  /** Field, type and message (as a Status cause has it) of an error of `rejected`. */
  readonly field?: string;
  readonly type?: FieldErrorType;
  readonly message?: string;
  /** What a field of `accepted` is once defaults are applied; the path is dotted, with indices as names. */
  readonly effect?: { readonly path: string; readonly value: JsonValue };
  /** Why Kubernetes 1.34 answers otherwise; such rows are left out of comparisons with it. */
  readonly deviation?: string;
}

/** A row's object for an installation: `{domain}` in its apiVersion resolved. */
export function resolveRuleObject(object: JsonObject, domain: string): JsonObject {
  return { ...object, apiVersion: String(object['apiVersion']).replace('{domain}', domain) };
}

/** A rule in short: its name without the kind, its row of the specification, both objects, and field and message of the error. */
export type RuleRow = readonly [
  rule: string,
  spec: string,
  accepted: JsonObject,
  rejected: JsonObject,
  field: string,
  message: string,
];

const TYPE_OF_WORD: Readonly<Record<string, FieldErrorType>> = {
  Invalid: 'FieldValueInvalid',
  Required: 'FieldValueRequired',
  Forbidden: 'FieldValueForbidden',
  Unsupported: 'FieldValueNotSupported',
  Duplicate: 'FieldValueDuplicate',
  Too: 'FieldValueTooMany',
};

/** The rule of a row; the type of the error is what its message begins with. */
export function makeRuleCase(kind: string, [rule, spec, accepted, rejected, field, message]: RuleRow): RuleCase {
  const type = TYPE_OF_WORD[/^\w+/.exec(message)?.[0] ?? ''];
  if (type === undefined) throw new Error(`no type of error begins with ${message}`);
  return { rule: `${kind}.${rule}`, spec, accepted, rejected, field, type, message };
}
