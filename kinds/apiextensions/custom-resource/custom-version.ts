import { deepClone } from '../../../core/meta/deep.ts';
import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import type { DefinedVersion, JsonSchemaProps } from '../custom-resource-definition/custom-resource-definition.ts';
import { coerceEmbeddedMetadata } from './decode/coerce-metadata.ts';
import { settleCustomObject } from './decode/decode-custom-object.ts';
import { defaultFields, pruneDefaults } from './decode/default-fields.ts';
import { pruneUnknownFields } from './decode/prune-unknown-fields.ts';

/** A version of a definition, ready to shape objects. */
export interface CustomVersion {
  readonly name: string;
  /** `networking.example.com/v1`. */
  readonly apiVersion: string;
  /** Its defaults have no fields that the schema does not know. */
  readonly schema: JsonSchemaProps;
  readonly defined: DefinedVersion;
  /** Whether fields that the schema does not know are kept, as definitions older than v1 may say. */
  readonly keepsUnknown: boolean;
}

/** Prepares a version of a definition. */
export function prepareVersion(group: string, defined: DefinedVersion, keepsUnknown: boolean): CustomVersion {
  const written = defined.schema?.openAPIV3Schema ?? {};
  const schema = keepsUnknown ? written : pruneDefaults(written, pruneDefault);
  return { name: defined.name, apiVersion: `${group}/${defined.name}`, schema, defined, keepsUnknown };
}

function pruneDefault(value: JsonValue, schema: JsonSchemaProps): JsonValue {
  const pruned = deepClone(value);
  coerceEmbeddedMetadata(pruned, schema);
  pruneUnknownFields(pruned, schema);
  return pruned;
}

/** Turns an object of one version into one of another, as conversion without a webhook does: renamed and pruned, in place. */
export function convertObject(object: JsonObject, from: CustomVersion, to: CustomVersion): void {
  settle(object, from);
  if (from.name === to.name) return;
  object['apiVersion'] = to.apiVersion;
  settle(object, to);
}

/** Fills the defaults of its version into an object, in place. Answers whether all are filled: they may be too large. */
export function fillVersion(object: JsonObject, version: CustomVersion): boolean {
  return defaultFields(object, version.schema);
}

function settle(object: JsonObject, version: CustomVersion): void {
  // What is stored was checked when it came; only the schema may have changed since.
  settleCustomObject(object, version.schema, { keepsUnknown: version.keepsUnknown });
}
