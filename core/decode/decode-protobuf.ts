import { isJsonObject, setOwn } from '../meta/json.ts';
import type { JsonObject, JsonValue } from '../meta/json.ts';
import { formatTime } from '../time/time.ts';
import { decodeUtf8 } from './decode-utf8.ts';
import { parseJson } from './parse-json.ts';
import { ProtobufError, ProtobufReader, wireTypes } from './protobuf-reader.ts';

/** One field of a message: what it is in JSON. */
export interface ProtobufField {
  /** Name in JSON. */
  readonly name: string;
  /** Name in Go, which faults quote. */
  readonly goName: string;
  /** A scalar's type as in a .proto file, or the full name of a message. */
  readonly type: string;
  /** `inline`: the members of the message are members of the object around it. */
  readonly shape: 'single' | 'repeated' | 'map' | 'inline';
}

/** The fields of a message by their number; `undefined` for an unknown message. */
export type ProtobufMessages = (message: string) => ReadonlyMap<number, ProtobufField> | undefined;

const maxDepth = 200;

/** A field of a message that is read by its numbers alone: an integer or bytes; the last one counts. */
type PlainFields = ReadonlyMap<number, number | bigint | Uint8Array>;

function readPlainFields(bytes: Uint8Array, message: string): PlainFields {
  const reader = new ProtobufReader(bytes);
  const fields = new Map<number, number | bigint | Uint8Array>();
  while (!reader.done) {
    const { field, wireType } = reader.readTag(message);
    if (wireType === wireTypes.varint) fields.set(field, reader.readInteger(64));
    else if (wireType === wireTypes.bytes) fields.set(field, reader.readBytes());
    else reader.skip(wireType);
  }
  return fields;
}

function readNumber(fields: PlainFields, field: number): number {
  const value = fields.get(field);
  return value === undefined || value instanceof Uint8Array ? 0 : Number(value);
}

function readText(fields: PlainFields, field: number): string | undefined {
  const value = fields.get(field);
  return value instanceof Uint8Array ? decodeUtf8(value) : undefined;
}

/** Seconds of Go's zero time, 0001-01-01T00:00:00Z, which is null in JSON. */
const zeroTimeSeconds = -62_135_596_800;
const year10000Seconds = 253_402_300_800;

function decodeTime(bytes: Uint8Array, formatFraction: (nanos: number) => string): JsonValue {
  if (bytes.length === 0) return null;
  const fields = readPlainFields(bytes, 'Timestamp');
  const seconds = readNumber(fields, 1);
  const fraction = formatFraction(readNumber(fields, 2));
  if (seconds === zeroTimeSeconds && Number(fraction) === 0) return null;
  if (seconds < zeroTimeSeconds || seconds >= year10000Seconds) {
    throw new ProtobufError('Time.MarshalJSON: year outside of range [0,9999]');
  }
  return formatTime(seconds * 1_000).replace(/Z$/, `${fraction}Z`);
}

function formatMicroseconds(nanos: number): string {
  const micros = Math.min(999_999, Math.max(0, Math.floor(nanos / 1_000)));
  return `.${String(micros).padStart(6, '0')}`;
}

function decodeRawJson(bytes: Uint8Array, message: string): JsonValue {
  const raw = readPlainFields(bytes, message).get(1);
  if (!(raw instanceof Uint8Array) || raw.length === 0) return null;
  const parsed = parseJson(raw);
  if ('fault' in parsed) throw new ProtobufError(parsed.fault);
  return parsed.value;
}

function decodeIntOrString(bytes: Uint8Array): JsonValue {
  const fields = readPlainFields(bytes, 'IntOrString');
  const type = readNumber(fields, 1);
  if (type === 0) return readNumber(fields, 2) | 0;
  if (type === 1) return readText(fields, 3) ?? '';
  throw new ProtobufError('impossible IntOrString.Type');
}

const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const definitionsPackage = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

/** Messages whose JSON form is not an object of their fields. */
const specialMessages: Readonly<Record<string, (bytes: Uint8Array) => JsonValue>> = {
  [`${metaPackage}.Time`]: (bytes) => decodeTime(bytes, () => ''),
  [`${metaPackage}.MicroTime`]: (bytes) => decodeTime(bytes, formatMicroseconds),
  [`${metaPackage}.FieldsV1`]: (bytes) => decodeRawJson(bytes, 'FieldsV1'),
  'io.k8s.apimachinery.pkg.runtime.RawExtension': (bytes) => decodeRawJson(bytes, 'RawExtension'),
  'io.k8s.apimachinery.pkg.api.resource.Quantity': (bytes) => readText(readPlainFields(bytes, 'Quantity'), 1) ?? '0',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': decodeIntOrString,
  [`${definitionsPackage}.JSON`]: (bytes) => decodeRawJson(bytes, 'JSON'),
};

/** Messages that stand for one of their fields; their JSON form from their fields. */
const choiceMessages: Readonly<Record<string, (fields: JsonObject) => JsonValue>> = {
  [`${definitionsPackage}.JSONSchemaPropsOrArray`]: ({ schema, jSONSchemas }) => jSONSchemas ?? schema ?? null,
  [`${definitionsPackage}.JSONSchemaPropsOrBool`]: ({ schema, allows }) => schema ?? allows ?? false,
  [`${definitionsPackage}.JSONSchemaPropsOrStringArray`]: ({ schema, property }) => property ?? schema ?? null,
};

/** Bytes at a time, as many as an argument list takes; divisible by three, so that padding comes last only. */
const base64ChunkBytes = 24_576;

function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += base64ChunkBytes) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + base64ChunkBytes))));
  }
  return parts.join('');
}

interface ScalarReading {
  readonly wireType: number;
  /** What an absent value of a map's entry is. */
  readonly zero: JsonValue;
  read(reader: ProtobufReader): JsonValue;
}

const scalars: Readonly<Record<string, ScalarReading>> = {
  string: { wireType: wireTypes.bytes, zero: '', read: (reader) => decodeUtf8(reader.readBytes()) },
  bytes: { wireType: wireTypes.bytes, zero: '', read: (reader) => encodeBase64(reader.readBytes()) },
  bool: { wireType: wireTypes.varint, zero: false, read: (reader) => reader.readInteger(64) !== 0 },
  int32: { wireType: wireTypes.varint, zero: 0, read: (reader) => reader.readInteger(32) },
  int64: { wireType: wireTypes.varint, zero: 0, read: (reader) => reader.readInteger(64) },
  double: { wireType: wireTypes.fixed64, zero: 0, read: (reader) => reader.readDouble() },
};

function findOwn<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

class MessageDecoder {
  readonly #messages: ProtobufMessages;

  constructor(messages: ProtobufMessages) {
    this.#messages = messages;
  }

  /** A field that comes again is merged into what it was before, as Go does. */
  decode(bytes: Uint8Array, message: string, depth: number, before?: JsonValue): JsonValue {
    const special = findOwn(specialMessages, message);
    if (special !== undefined) return special(bytes);
    const object = isJsonObject(before) ? before : {};
    const fields = this.#decodeInto(object, bytes, message, depth);
    const choose = findOwn(choiceMessages, message);
    if (choose !== undefined) return choose(object);
    // Go's named slices of strings (`ExtraValue`) travel as a message with one field.
    const only = fields.size === 1 ? fields.get(1) : undefined;
    return only?.name === 'items' && only.type === 'string' ? (object['items'] ?? []) : object;
  }

  #decodeInto(
    object: JsonObject,
    bytes: Uint8Array,
    message: string,
    depth: number,
  ): ReadonlyMap<number, ProtobufField> {
    if (depth > maxDepth) throw new ProtobufError('proto: exceeded max depth');
    const fields = this.#messages(message);
    if (fields === undefined) throw new ProtobufError(`proto: unknown message ${message}`);
    const shortName = message.slice(message.lastIndexOf('.') + 1);
    const reader = new ProtobufReader(bytes);
    while (!reader.done) {
      const tag = reader.readTag(shortName);
      const field = fields.get(tag.field);
      if (field === undefined) reader.skip(tag.wireType);
      else this.#readField(object, field, reader, tag.wireType, depth + 1);
    }
    return fields;
  }

  #readField(object: JsonObject, field: ProtobufField, reader: ProtobufReader, wireType: number, depth: number): void {
    const scalar = findOwn(scalars, field.type);
    if (field.shape === 'repeated') {
      const list = this.#openMember(object, field.name, Array.isArray, () => []);
      if (scalar !== undefined && scalar.wireType !== wireTypes.bytes && wireType === wireTypes.bytes) {
        const packed = new ProtobufReader(reader.readBytes());
        while (!packed.done) list.push(scalar.read(packed));
      } else {
        list.push(this.#readValue(field, scalar, reader, wireType, depth));
      }
    } else if (field.shape === 'map') {
      if (wireType !== wireTypes.bytes) throw makeWireTypeError(wireType, field);
      const map = this.#openMember(object, field.name, isJsonObject, () => ({}));
      this.#readMapEntry(map, field, scalar, reader.readBytes(), depth);
    } else if (field.shape === 'inline') {
      if (wireType !== wireTypes.bytes) throw makeWireTypeError(wireType, field);
      this.#decodeInto(object, reader.readBytes(), field.type, depth);
    } else {
      const before = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
      setOwn(object, field.name, this.#readValue(field, scalar, reader, wireType, depth, before));
    }
  }

  #openMember<T extends JsonValue>(
    object: JsonObject,
    name: string,
    isOfType: (value: unknown) => value is T,
    make: () => T,
  ): T {
    const known = Object.hasOwn(object, name) ? object[name] : undefined;
    if (isOfType(known)) return known;
    const made = make();
    setOwn(object, name, made);
    return made;
  }

  #readMapEntry(
    map: JsonObject,
    field: ProtobufField,
    scalar: ScalarReading | undefined,
    bytes: Uint8Array,
    depth: number,
  ): void {
    const reader = new ProtobufReader(bytes);
    let key = '';
    let value: JsonValue | undefined;
    while (!reader.done) {
      const tag = reader.readTag(field.goName);
      if (tag.field === 1) key = decodeUtf8(reader.readBytes());
      else if (tag.field === 2) value = this.#readValue(field, scalar, reader, tag.wireType, depth);
      else reader.skip(tag.wireType);
    }
    const zero = scalar === undefined ? () => this.decode(new Uint8Array(), field.type, depth) : () => scalar.zero;
    setOwn(map, key, value === undefined ? zero() : value);
  }

  #readValue(
    field: ProtobufField,
    scalar: ScalarReading | undefined,
    reader: ProtobufReader,
    wireType: number,
    depth: number,
    before?: JsonValue,
  ): JsonValue {
    if (wireType !== (scalar?.wireType ?? wireTypes.bytes)) throw makeWireTypeError(wireType, field);
    if (scalar !== undefined) return scalar.read(reader);
    return this.decode(reader.readBytes(), field.type, depth, before);
  }
}

function makeWireTypeError(wireType: number, field: ProtobufField): ProtobufError {
  return new ProtobufError(`proto: wrong wireType = ${wireType} for field ${field.goName}`);
}

/**
 * Decodes a message into what its JSON form is; fields that the message does not have are skipped. A fault is worded as Go
 * words it. Never throws, whatever the bytes.
 */
export function decodeProtobuf(
  bytes: Uint8Array,
  message: string,
  messages: ProtobufMessages,
): { readonly value: JsonValue } | { readonly fault: string } {
  try {
    return { value: new MessageDecoder(messages).decode(bytes, message, 0) };
  } catch (error) {
    if (error instanceof ProtobufError) return { fault: error.message };
    throw error;
  }
}

/** What wraps every object on the wire: its type, and the message's bytes. */
export interface ProtobufEnvelope {
  /** Empty when the sender left it out. */
  readonly apiVersion: string;
  /** Empty when the sender left it out. */
  readonly kind: string;
  readonly raw: Uint8Array;
}

const envelopePrefix = [0x6b, 0x38, 0x73, 0x00];

/** Opens Kubernetes' envelope: four bytes, then a `runtime.Unknown`. */
export function openProtobufEnvelope(bytes: Uint8Array): ProtobufEnvelope | { readonly fault: string } {
  if (bytes.length === 0) return { fault: 'empty data' };
  if (!envelopePrefix.every((byte, i) => bytes[i] === byte)) {
    return { fault: 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]' };
  }
  if (bytes.length === envelopePrefix.length) return { fault: 'empty body' };
  try {
    const fields = readPlainFields(bytes.subarray(envelopePrefix.length), 'Unknown');
    const type = fields.get(1);
    const typeFields = type instanceof Uint8Array ? readPlainFields(type, 'TypeMeta') : new Map<number, Uint8Array>();
    const raw = fields.get(2);
    return {
      apiVersion: readText(typeFields, 1) ?? '',
      kind: readText(typeFields, 2) ?? '',
      raw: raw instanceof Uint8Array ? raw : new Uint8Array(),
    };
  } catch (error) {
    if (error instanceof ProtobufError) return { fault: error.message };
    throw error;
  }
}
