import { isAbsolute, join } from 'node:path';
import { parseYaml } from '../../core/decode/parse-yaml.ts';
import type { FieldError } from '../../core/errors/field-error.ts';
import { FieldPath } from '../../core/errors/field-path.ts';
import {
  formatFieldError,
  makeInvalid,
  makeNotSupported,
  makeRequired,
  makeTypeInvalid,
} from '../../core/errors/make-field-error.ts';
import { quoteGo } from '../../core/errors/quote-go.ts';
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../core/meta/json.ts';
import { isQuantityFault, parseQuantity, quantityToInteger } from '../../core/quantity/quantity.ts';
import { formatGoDuration } from '../../core/time/format-go-duration.ts';
import { parseGoDuration } from '../../core/time/parse-go-duration.ts';
import { checkLabelValue, checkQualifiedName } from '../../core/validation/names.ts';
import { type ConfigField, type ConfigGroup, isConfigGroup } from './config-field.ts';
import { configSchema } from './config-schema.ts';
import { findGateFault } from './feature-gates.ts';

/** What a file must say that it is. */
export interface ConfigurationIdentity {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Fields that a file sets, checked each by itself; null where a drop-in takes a field away. Or all that is wrong with it. */
export type DecodedConfiguration = { readonly document: JsonObject } | { readonly faults: readonly string[] };

/** As much as the most that an object of the API may be. */
const maxBytes = 3 * 1024 * 1024;
const maxInteger = 2 ** 31 - 1;
const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Reads one file, YAML or JSON, strictly: unknown, repeated and mistyped fields are faults, all at once. Relative paths are those in `folder`. */
export function decodeConfiguration(
  bytes: Uint8Array,
  identity: ConfigurationIdentity,
  folder: string,
): DecodedConfiguration {
  if (bytes.length > maxBytes) return { faults: [`must not be larger than ${maxBytes} bytes`] };
  const parsed = parseYaml(bytes);
  if ('fault' in parsed) return { faults: [parsed.fault] };
  if (!isJsonObject(parsed.value)) return { faults: [parsed.value === null ? 'is empty' : 'must be an object'] };
  const { apiVersion, kind, ...rest } = parsed.value;
  const faults = parsed.duplicates.map((path) => `duplicate field ${quoteGo(path)}`);
  for (const [name, value] of Object.entries({ apiVersion, kind })) {
    const expected = identity[name as keyof ConfigurationIdentity];
    const path = FieldPath.root(name);
    if (value === undefined || value === null) faults.push(formatFieldError(makeRequired(path, `must be ${expected}`)));
    else if (value !== expected) faults.push(formatFieldError(makeNotSupported(path, value, [expected])));
  }
  const reader = new ConfigurationReader(folder);
  const document = reader.readGroup(rest, configSchema, undefined);
  faults.push(...reader.faults);
  return faults.length > 0 ? { faults } : { document };
}

class ConfigurationReader {
  readonly faults: string[] = [];
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  readGroup(values: JsonObject, { fields }: ConfigGroup, path: FieldPath | undefined): JsonObject {
    const read: JsonObject = {};
    for (const [name, value] of Object.entries(values)) {
      const below = path === undefined ? FieldPath.root(name) : path.child(name);
      const node = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (node === undefined) this.faults.push(`unknown field ${quoteGo(below.toString())}`);
      else if (value === null || value === undefined) setOwn(read, name, null);
      else if (!isConfigGroup(node)) setOwn(read, name, this.#readField(value, node, below));
      else if (isJsonObject(value)) setOwn(read, name, this.readGroup(value, node, below));
      else this.#fail(makeTypeInvalid(below, value, 'must be an object'));
    }
    return read;
  }

  #fail(error: FieldError): undefined {
    this.faults.push(formatFieldError(error));
    return undefined;
  }

  /** `undefined` after a fault. */
  #readField(value: JsonValue, field: ConfigField, path: FieldPath): JsonValue | undefined {
    switch (field.type) {
      case 'boolean':
        return typeof value === 'boolean' ? value : this.#fail(makeTypeInvalid(path, value, 'must be a boolean'));
      case 'integer':
        return this.#readInteger(value, field, path);
      case 'text':
        return this.#readText(value, field, path);
      case 'duration':
        return this.#readDuration(value, field, path);
      case 'bytes':
        return this.#readBytes(value, path);
      case 'bytes or a share':
        return this.#readBytesOrShare(value, path);
      case 'list of texts':
        return this.#readList(value, path, (item, at) => this.#readText(item, { values: undefined }, at));
      case 'list of taints':
        return this.#readList(value, path, (item, at) => this.#readTaint(item, at));
      case 'map of texts':
        return this.#readMap(value, path, (item, at) => this.#readText(item, { values: undefined }, at));
      case 'map of booleans':
        return this.#readMap(value, path, (item, at, name) => this.#readGate(item, at, name));
      default:
        return this.#readMap(value, path, (item, at) =>
          this.#readList(item, at, (text, below) => this.#readText(text, { values: undefined }, below)),
        );
    }
  }

  #readInteger(value: JsonValue, field: ConfigField, path: FieldPath): JsonValue | undefined {
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      return this.#fail(makeTypeInvalid(path, value, 'must be an integer'));
    }
    const { minimum = -maxInteger, maximum = maxInteger, isZeroAbsent } = field;
    if ((value === 0 && isZeroAbsent === true) || (value >= minimum && value <= maximum)) return value;
    return this.#fail(makeInvalid(path, value, `must be between ${minimum} and ${maximum}, inclusive`));
  }

  #readText(
    value: JsonValue,
    field: Pick<ConfigField, 'isPath' | 'isZeroAbsent'> & { readonly values?: readonly string[] | undefined },
    path: FieldPath,
  ): JsonValue | undefined {
    if (typeof value !== 'string') return this.#fail(makeTypeInvalid(path, value, 'must be a string'));
    if (value === '') return value;
    if (field.values !== undefined && !field.values.includes(value)) {
      return this.#fail(makeNotSupported(path, value, field.values));
    }
    return field.isPath === true && !isAbsolute(value) ? join(this.#folder, value) : value;
  }

  #readDuration(value: JsonValue, { minimum, isZeroAbsent }: ConfigField, path: FieldPath): JsonValue | undefined {
    if (typeof value !== 'string') {
      return this.#fail(makeTypeInvalid(path, value, 'must be a duration as a string, such as "1m30s"'));
    }
    const parsed = parseGoDuration(value);
    if ('fault' in parsed) return this.#fail(makeInvalid(path, value, parsed.fault));
    if (minimum !== undefined && parsed.millis < minimum) {
      return this.#fail(makeInvalid(path, value, isZeroAbsent === true ? 'must be positive' : 'must not be negative'));
    }
    return formatGoDuration(parsed.millis);
  }

  #readBytes(value: JsonValue, path: FieldPath): JsonValue | undefined {
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string') return this.#fail(makeTypeInvalid(path, value, 'must be a quantity, such as "10Gi"'));
    const quantity = parseQuantity(text);
    if (isQuantityFault(quantity)) return this.#fail(makeInvalid(path, value, 'must be a quantity, such as "10Gi"'));
    if (quantity.unscaled < 0n) return this.#fail(makeInvalid(path, value, 'must not be negative'));
    if (quantityToInteger(quantity) > BigInt(Number.MAX_SAFE_INTEGER)) {
      return this.#fail(makeInvalid(path, value, `must not be more than ${Number.MAX_SAFE_INTEGER}`));
    }
    return text;
  }

  #readBytesOrShare(value: JsonValue, path: FieldPath): JsonValue | undefined {
    if (typeof value !== 'string' || !value.endsWith('%')) return this.#readBytes(value, path);
    if (/^\d{1,3}(\.\d{1,3})?%$/.test(value) && Number.parseFloat(value) <= 100) return value;
    return this.#fail(makeInvalid(path, value, 'must be a quantity, such as "10Gi", or a share, such as "15%"'));
  }

  #readList(
    value: JsonValue,
    path: FieldPath,
    read: (item: JsonValue, at: FieldPath) => JsonValue | undefined,
  ): JsonValue | undefined {
    if (!Array.isArray(value)) return this.#fail(makeTypeInvalid(path, value, 'must be a list'));
    return value.map((item, index) => read(item, path.index(index)) ?? null);
  }

  #readMap(
    value: JsonValue,
    path: FieldPath,
    read: (item: JsonValue, at: FieldPath, name: string) => JsonValue | undefined,
  ): JsonValue | undefined {
    if (!isJsonObject(value)) return this.#fail(makeTypeInvalid(path, value, 'must be an object'));
    const map: JsonObject = {};
    for (const [name, item] of Object.entries(value)) {
      setOwn(map, name, item === null || item === undefined ? null : (read(item, path.key(name), name) ?? null));
    }
    return map;
  }

  #readGate(value: JsonValue, path: FieldPath, name: string): JsonValue | undefined {
    if (typeof value !== 'boolean') return this.#fail(makeTypeInvalid(path, value, 'must be a boolean'));
    const fault = findGateFault(name, value);
    return fault === undefined ? value : this.#fail(makeInvalid(path, value, fault));
  }

  #readTaint(value: JsonValue, path: FieldPath): JsonValue | undefined {
    if (!isJsonObject(value)) return this.#fail(makeTypeInvalid(path, value, 'must be an object'));
    for (const [name, member] of Object.entries(value)) {
      if (name !== 'key' && name !== 'value' && name !== 'effect') {
        this.faults.push(`unknown field ${quoteGo(path.child(name).toString())}`);
      } else if (typeof member !== 'string') {
        this.#fail(makeTypeInvalid(path.child(name), member, 'must be a string'));
      }
    }
    const { key = '', value: text } = value;
    if (key === '') this.#fail(makeRequired(path.child('key'), ''));
    else if (typeof key === 'string') {
      for (const fault of checkQualifiedName(key)) this.#fail(makeInvalid(path.child('key'), key, fault));
    }
    for (const fault of typeof text === 'string' ? checkLabelValue(text) : []) {
      this.#fail(makeInvalid(path.child('value'), text, fault));
    }
    if (!taintEffects.includes(String(value['effect'] ?? ''))) {
      this.#fail(makeNotSupported(path.child('effect'), value['effect'] ?? '', taintEffects));
    }
    return value;
  }
}
