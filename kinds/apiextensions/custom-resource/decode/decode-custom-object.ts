import type { DecodedObject, DecodeOptions } from '../../../../core/decode/decode-typed.ts';
import { isDeeper, MAX_OBJECT_DEPTH } from '../../../../core/decode/is-deeper.ts';
import type { DocumentNotes, DuplicateKey } from '../../../../core/decode/parsed-document.ts';
import { quoteGo } from '../../../../core/errors/quote-go.ts';
import { deepClone } from '../../../../core/meta/deep.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { coerceEmbeddedMetadata, readMetadata } from './coerce-metadata.ts';
import { dropRefusedNulls } from './default-fields.ts';
import { pruneResource } from './prune-unknown-fields.ts';
import { maxPathCharacters, maxStrictFaults, takeTexts, UnknownPaths } from './unknown-paths.ts';
import { settleNumbers } from './settle-numbers.ts';

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
  const fault = settleNumbers(object, options.notes);
  if (fault !== undefined) return { fault };
  const settled = settleCustomObject(object, schema, options);
  if ('fault' in settled) return settled;
  const unknownFields = takeTexts(settled.unknownFields);
  for (const field of unknownFields) strictFaults.push(`unknown field "${field}"`);
  return { object, unknownFields, strictFaults };
}

/** What of an object is left as it came. */
interface SettleOptions {
  /** All but metadata, which definitions older than v1 may ask for. */
  readonly keepsUnknown?: boolean;
  /** Null in fields that are not nullable. */
  readonly keepsNulls?: boolean;
}

/** Brings an object into the shape of a schema, in place; answers paths of what was dropped as unknown, or a fault. */
export function settleCustomObject(
  object: JsonObject,
  schema: JsonSchemaProps,
  { keepsUnknown = false, keepsNulls = false }: SettleOptions = {},
): { readonly unknownFields: string[] } | { readonly fault: string } {
  const read = object['metadata'] === undefined ? undefined : readMetadata(object['metadata']);
  if (read !== undefined && 'fault' in read) return read;
  const unknownFields = (read?.unknownFields ?? []).map((field) => `metadata.${field}`);
  // What else the schema says of metadata restricts what is read already.
  if (read !== undefined) object['metadata'] = read.metadata;
  if (!keepsUnknown) {
    const unknown = new UnknownPaths();
    pruneResource(object, schema, unknown);
    unknownFields.push(...unknown.list());
    if (!keepsNulls) dropRefusedNulls(object, schema);
  }
  const coerced = coerceEmbeddedMetadata(object, schema);
  if ('fault' in coerced) return coerced;
  unknownFields.push(...coerced.unknownFields);
  return { unknownFields };
}

function listDuplicates(value: JsonValue, notes: DocumentNotes): string[] {
  if (notes.duplicateKeys.size === 0) return [];
  const collector = new DuplicateCollector(notes);
  collector.collect(value, '');
  return takeTexts([...collector.faults]);
}

class DuplicateCollector {
  readonly faults = new Set<string>();
  readonly #notes: DocumentNotes;
  #characters = 0;

  constructor(notes: DocumentNotes) {
    this.#notes = notes;
  }

  collect(value: JsonValue | undefined, path: string): void {
    if (this.faults.size >= maxStrictFaults || this.#characters > maxPathCharacters) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.collect(item, `${path}[${index}]`);
    } else if (isJsonObject(value)) {
      this.#collectMembers(value, path);
    }
  }

  #collectMembers(object: JsonObject, path: string): void {
    const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
    const duplicates = groupByPosition(this.#notes.duplicateKeys.get(object) ?? []);
    const keys = Object.keys(object);
    for (const [position, key] of keys.entries()) {
      for (const duplicate of duplicates.get(position) ?? []) this.#report(at(duplicate));
      this.collect(object[key], at(key));
    }
    for (const [position, names] of duplicates) {
      if (position >= keys.length) for (const name of names) this.#report(at(name));
    }
  }

  #report(path: string): void {
    if (this.faults.size >= maxStrictFaults || this.#characters > maxPathCharacters) return;
    this.#characters += path.length;
    this.faults.add(`duplicate field ${quoteGo(path)}`);
  }
}

/** The keys that occur again after so many others were read, each once at every place. */
function groupByPosition(duplicates: readonly DuplicateKey[]): ReadonlyMap<number, ReadonlySet<string>> {
  const groups = new Map<number, Set<string>>();
  const seen = new Set<string>();
  for (const { key, position } of duplicates) {
    if (seen.has(key)) continue;
    seen.add(key);
    const group = groups.get(position) ?? new Set();
    groups.set(position, group.add(key));
  }
  return groups;
}
