import type { DecodedObject, DecodeOptions } from '../../../../core/decode/decode-typed.ts';
import { isDeeper, MAX_OBJECT_DEPTH } from '../../../../core/decode/is-deeper.ts';
import type { DocumentNotes } from '../../../../core/decode/parsed-document.ts';
import { quoteGo } from '../../../../core/errors/quote-go.ts';
import { deepClone } from '../../../../core/meta/deep.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { coerceEmbeddedMetadata, readMetadata } from './coerce-metadata.ts';
import { dropRefusedNulls } from './default-fields.ts';
import { pruneResource } from './prune-unknown-fields.ts';

/** Go's decoder reports no more. */
const maxStrictFaults = 100;

/**
 * A custom object as its schema lets it be: metadata read as its Go type holds it, unknown fields and refused nulls dropped, everything
 * else as it came. `fault` is worded as Kubernetes words it. `value` is not changed, and nothing of it is shared.
 */
export function decodeCustomObject(
  value: JsonValue,
  schema: JsonSchemaProps,
  options: DecodeOptions & { readonly keepsUnknown?: boolean } = {},
): DecodedObject | { readonly fault: string } {
  if (isDeeper(value, MAX_OBJECT_DEPTH)) return { fault: 'exceeded max depth' };
  const strictFaults = options.notes === undefined ? [] : listDuplicates(value, options.notes);
  const object: JsonObject = isJsonObject(value) ? deepClone(value) : {};
  const settled = settleCustomObject(object, schema, options.keepsUnknown);
  if ('fault' in settled) return settled;
  const unknownFields = settled.unknownFields.slice(0, maxStrictFaults);
  strictFaults.push(...unknownFields.map((field) => `unknown field "${field}"`));
  return { object, unknownFields, strictFaults };
}

/**
 * Brings an object into the shape of a schema, in place; answers the paths of what was dropped as unknown, or a fault. With
 * `keepsUnknown`, which definitions older than v1 may ask for, only metadata is shaped.
 */
export function settleCustomObject(
  object: JsonObject,
  schema: JsonSchemaProps,
  keepsUnknown = false,
): { readonly unknownFields: string[] } | { readonly fault: string } {
  const unknownFields: string[] = [];
  const read = object['metadata'] === undefined ? undefined : readMetadata(object['metadata']);
  if (read !== undefined && 'fault' in read) return read;
  if (read !== undefined) {
    unknownFields.push(...read.unknownFields.map((field) => `metadata.${field}`));
    // What else the schema says of metadata restricts what is read already.
    object['metadata'] = read.metadata;
  }
  if (!keepsUnknown) {
    unknownFields.push(...pruneResource(object, schema));
    dropRefusedNulls(object, schema);
  }
  const coerced = coerceEmbeddedMetadata(object, schema);
  if ('fault' in coerced) return coerced;
  unknownFields.push(...coerced.unknownFields);
  return { unknownFields };
}

function listDuplicates(value: JsonValue, notes: DocumentNotes): string[] {
  const faults: string[] = [];
  if (notes.duplicateKeys.size > 0) collectDuplicates(value, notes, '', faults);
  return faults;
}

function collectDuplicates(value: JsonValue | undefined, notes: DocumentNotes, path: string, faults: string[]): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collectDuplicates(item, notes, `${path}[${index}]`, faults);
  } else if (isJsonObject(value)) {
    const duplicates = notes.duplicateKeys.get(value) ?? [];
    const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
    const report = (key: string): void => {
      const fault = `duplicate field ${quoteGo(at(key))}`;
      if (faults.length < maxStrictFaults && !faults.includes(fault)) faults.push(fault);
    };
    for (const [position, key] of Object.keys(value).entries()) {
      for (const duplicate of duplicates) if (duplicate.position === position) report(duplicate.key);
      collectDuplicates(value[key], notes, at(key), faults);
    }
    const count = Object.keys(value).length;
    for (const duplicate of duplicates) if (duplicate.position >= count) report(duplicate.key);
  }
}
