import { quoteGo } from '../errors/quote-go.ts';
import { deepClone } from '../meta/deep.ts';
import { isDeeper, MAX_OBJECT_DEPTH } from './is-deeper.ts';
import { setOwn, type JsonObject, type JsonValue } from '../meta/json.ts';
import type { SchemaAlternatives, StructuralSchema } from '../schema/structural-schema.ts';
import { decodeScalar, makeZeroScalar, type ScalarFault } from './decode-scalar.ts';
import { describeJsonType, nameGoStruct, nameGoType } from './name-go-type.ts';
import type { DocumentNotes } from './parsed-document.ts';

/** What a caller may tell the decoder beside value and schema. */
export interface DecodeOptions {
  /** Notes of the ParsedDocument that holds the value: duplicate keys are then among the strict faults, and `1.0` is no integer. */
  readonly notes?: DocumentNotes;
  /** Whether null stays where a field is not nullable, for validation to tell; of kinds that users define only. */
  readonly keepsNulls?: boolean;
}

/** An object as its Go type would hold it. */
export interface DecodedObject {
  readonly object: JsonObject;
  /** Paths of fields that the schema does not know, in the order of the document, at most a hundred. */
  readonly unknownFields: string[];
  /** `unknown field "spec.foo"` and `duplicate field "spec.bar"` in the order of the document: what strict decoding refuses. */
  readonly strictFaults: string[];
}

/** Schemas may be cyclic; no API type nests deeper in earnest. */
const maxStrictFaults = 100;

/**
 * One round trip through the Go type that the schema describes: unknown fields dropped, null read as absent, zero values treated
 * as `zero` says, quantities, times and base64 in canonical form. `fault` is worded as Go words it. `value` is not changed, and
 * nothing of it is shared.
 */
export function decodeTyped(
  value: JsonValue,
  schema: StructuralSchema,
  options: DecodeOptions = {},
): DecodedObject | { fault: string } {
  const decoder = new TypedDecoder(options.notes);
  try {
    const object = decoder.decodeRoot(value, schema);
    if (decoder.typeFault !== undefined) return { fault: decoder.typeFault };
    return { object, unknownFields: decoder.unknownFields, strictFaults: decoder.strictFaults };
  } catch (error) {
    if (error instanceof DecodeAbort) return { fault: error.message };
    throw error;
  }
}

/** A fault that ends decoding at once; Go's decoder goes on after wrong types and reports the first of them at the end. */
class DecodeAbort extends Error {
  /** Present when the fault is a wrong type in a part that reads itself: what is around it says where that part is. */
  readonly wrongType: WrongType | undefined;

  constructor(message: string, wrongType?: WrongType) {
    super(message);
    this.wrongType = wrongType;
  }
}

/** A value of another type than Go's. */
interface WrongType {
  readonly found: string;
  readonly type: string;
}

class TypedDecoder {
  readonly unknownFields: string[] = [];
  readonly strictFaults: string[] = [];
  typeFault: string | undefined;
  /** What `typeFault` says, where that is a wrong type. */
  wrongType: WrongType | undefined;

  private readonly notes: DocumentNotes | undefined;
  /** How deep the value lies in that of the decoder that uses this one. */
  private readonly outerDepth: number;
  private readonly seenFaults = new Set<string>();
  /** Names and indices from the root, in the notation of strict faults. */
  private readonly path: string[] = [];
  /** Names of struct fields from the root, as type faults quote them. */
  private readonly fields: string[] = [];
  private struct = '';

  constructor(notes: DocumentNotes | undefined, outerDepth = 0) {
    this.notes = notes;
    this.outerDepth = outerDepth;
  }

  decodeRoot(value: JsonValue, schema: StructuralSchema): JsonObject {
    const decoded = this.decode(value, schema, undefined, '');
    return isObject(decoded) ? decoded : (this.makeZero(schema) as JsonObject);
  }

  /** `undefined` for null and for what could not be decoded: the Go value keeps its zero value. */
  private decode(
    value: JsonValue,
    schema: StructuralSchema,
    container: object | undefined,
    key: string | number,
  ): JsonValue | undefined {
    if (value === null) return undefined;
    if (this.outerDepth + this.path.length > MAX_OBJECT_DEPTH) throw new DecodeAbort('exceeded max depth');
    if (schema.alternatives !== undefined) return this.decodeAlternative(value, schema.alternatives);
    if (schema.type === 'any' && schema.format === undefined) return copyUntyped(value);
    if (schema.format === undefined && schema.type === 'object') return this.decodeObject(value, schema);
    if (schema.format === undefined && schema.type === 'array') return this.decodeArray(value, schema);
    const literal = container === undefined ? undefined : this.notes?.numberLiterals.get(container)?.get(key);
    const result = decodeScalar(value, schema, literal);
    if ('value' in result) return result.value;
    this.fail(result);
    return undefined;
  }

  /** A type that reads itself: what is inside is read on its own, knows nothing of strictness, and ends everything when it fails. */
  private decodeAlternative(value: JsonValue, alternatives: SchemaAlternatives): JsonValue {
    if (typeof value === 'boolean' && alternatives.boolean === true) return value;
    const schema = isObject(value) ? alternatives.object : Array.isArray(value) ? alternatives.array : undefined;
    if (schema === undefined) {
      if (alternatives.fault !== undefined) throw new DecodeAbort(alternatives.fault);
      return null;
    }
    const inner = new TypedDecoder(this.notes, this.outerDepth + this.path.length);
    try {
      const decoded = inner.decode(value, schema, undefined, '') ?? null;
      if (inner.typeFault !== undefined) throw new DecodeAbort(inner.typeFault, inner.wrongType);
      return decoded;
    } catch (error) {
      if (!(error instanceof DecodeAbort) || error.wrongType === undefined) throw error;
      const { found, type } = error.wrongType;
      throw new DecodeAbort(this.describeTypeFault(found, type), error.wrongType);
    }
  }

  private decodeObject(value: JsonValue, schema: StructuralSchema): JsonValue | undefined {
    if (!isObject(value)) {
      this.fail({ found: describeJsonType(value), type: nameGoType(schema) });
      return undefined;
    }
    if (schema.properties !== undefined) return this.decodeStruct(value, schema, schema.properties);
    if (schema.values !== undefined) return this.decodeMap(value, schema.values);
    if (schema.preserveUnknown === true) return copyUntyped(value);
    return this.decodeStruct(value, schema, {});
  }

  private decodeStruct(
    value: JsonObject,
    schema: StructuralSchema,
    properties: Readonly<Record<string, StructuralSchema>>,
  ): JsonObject {
    const object: JsonObject = {};
    const outerStruct = this.struct;
    const duplicates = this.notes?.duplicateKeys.get(value) ?? [];
    let position = 0;
    for (const key of Object.keys(value)) {
      for (const duplicate of duplicates) {
        if (duplicate.position === position && Object.hasOwn(properties, duplicate.key)) {
          this.reportStrictFault('duplicate', duplicate.key);
        }
      }
      position++;
      const member = value[key];
      if (member === undefined) continue;
      const fieldSchema = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (fieldSchema === undefined) {
        if (schema.preserveUnknown === true) setOwn(object, key, copyUntyped(member));
        else this.reportStrictFault('unknown', key);
        continue;
      }
      this.path.push(this.path.length === 0 ? key : `.${key}`);
      this.fields.push(key);
      this.struct = nameGoStruct(schema);
      const decoded = this.decode(member, fieldSchema, value, key);
      this.path.pop();
      this.fields.pop();
      this.struct = outerStruct;
      if (decoded !== undefined && !isDropped(decoded, fieldSchema)) setOwn(object, key, decoded);
    }
    for (const duplicate of duplicates) {
      if (duplicate.position >= position && Object.hasOwn(properties, duplicate.key)) {
        this.reportStrictFault('duplicate', duplicate.key);
      }
    }
    this.fillAbsent(object, properties);
    return object;
  }

  private decodeMap(value: JsonObject, schema: StructuralSchema): JsonObject {
    const object: JsonObject = {};
    for (const { key } of this.notes?.duplicateKeys.get(value) ?? []) this.reportStrictFault('duplicate', key);
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member === undefined) continue;
      this.path.push(this.path.length === 0 ? key : `.${key}`);
      setOwn(object, key, this.decode(member, schema, value, key) ?? this.makeZero(schema));
      this.path.pop();
    }
    return object;
  }

  private decodeArray(value: JsonValue, schema: StructuralSchema): JsonValue | undefined {
    if (!Array.isArray(value)) {
      this.fail({ found: describeJsonType(value), type: nameGoType(schema) });
      return undefined;
    }
    const items = schema.items ?? { type: 'any' };
    const list: JsonValue[] = [];
    for (const [index, item] of value.entries()) {
      this.path.push(`[${index}]`);
      list.push(this.decode(item, items, value, index) ?? this.makeZero(items));
      this.path.pop();
    }
    return list;
  }

  /** Gives absent `fill` fields their zero values. */
  private fillAbsent(object: JsonObject, properties: Readonly<Record<string, StructuralSchema>>): void {
    for (const key of Object.keys(properties)) {
      const schema = properties[key];
      if (schema?.zero === 'fill' && !Object.hasOwn(object, key)) setOwn(object, key, this.makeZero(schema));
    }
  }

  private makeZero(schema: StructuralSchema): JsonValue {
    if (schema.format !== undefined) return makeZeroScalar(schema);
    if (schema.type === 'array') return [];
    if (schema.type !== 'object') return makeZeroScalar(schema);
    const object: JsonObject = {};
    if (schema.properties !== undefined) this.fillAbsent(object, schema.properties);
    return object;
  }

  private reportStrictFault(reason: 'unknown' | 'duplicate', key: string): void {
    if (this.strictFaults.length >= maxStrictFaults) return;
    const path = `${this.path.join('')}${this.path.length === 0 ? '' : '.'}${key}`;
    const fault = `${reason} field ${quoteGo(path)}`;
    if (this.seenFaults.has(fault)) return;
    this.seenFaults.add(fault);
    this.strictFaults.push(fault);
    if (reason === 'unknown') this.unknownFields.push(path);
  }

  private fail(fault: ScalarFault): void {
    if (fault.abort !== undefined) throw new DecodeAbort(fault.abort);
    const message = fault.message ?? this.describeTypeFault(fault.found ?? 'value', fault.type ?? '');
    const { found = 'value', type = '' } = fault;
    const wrongType = fault.message === undefined ? { found, type } : undefined;
    if (fault.endsDecoding === true) throw new DecodeAbort(message, wrongType);
    if (this.typeFault !== undefined) return;
    this.typeFault = message;
    this.wrongType = wrongType;
  }

  private describeTypeFault(found: string, type: string): string {
    if (this.fields.length === 0) return `json: cannot unmarshal ${found} into Go value of type ${type}`;
    return `json: cannot unmarshal ${found} into Go struct field ${this.struct}.${this.fields.join('.')} of type ${type}`;
  }
}

function isDropped(value: JsonValue, schema: StructuralSchema): boolean {
  if (schema.zero === 'keep' || schema.zero === 'fill') return false;
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === '' || value === 0 || value === 0n || value === false;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Copies what the schema leaves open. Its depth is bounded too: what is done with a stored object later on recurses into it. */
function copyUntyped(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isDeeper(value, MAX_OBJECT_DEPTH)) throw new DecodeAbort('exceeded max depth');
  return deepClone(value);
}
