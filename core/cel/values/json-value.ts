import type { StructuralSchema } from '../../schema/structural-schema.ts';
import { CelDouble, CelList, CelMap, type CelValue } from './cel-value.ts';
import { readDeclaredText } from './declared-text.ts';
import { toCanonicalInt } from './integers.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A property of a JSON object, of its own; `undefined`: it has none. */
export function readProperty(json: JsonObject, name: string): unknown {
  const value = json[name];
  return value === undefined || (name in Object.prototype && !Object.hasOwn(json, name)) ? undefined : value;
}

/** How many properties a JSON object has. */
export function countProperties(json: JsonObject): number {
  let count = 0;
  for (const key in json) if (json[key] !== undefined && Object.hasOwn(json, key)) count++;
  return count;
}

/** A JSON object as a map; values are wrapped when they are read. */
export class JsonMap extends CelMap {
  readonly json: JsonObject;
  readonly schema: StructuralSchema | undefined;
  #keys: readonly string[] | undefined;
  #size = -1;

  constructor(json: JsonObject, schema: StructuralSchema | undefined) {
    super();
    this.json = json;
    this.schema = schema;
  }

  get size(): number {
    if (this.#size < 0) this.#size = countProperties(this.json);
    return this.#size;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined;
    const value = readProperty(this.json, key);
    if (value === undefined || (value === null && hidesNull(this.schema))) return undefined;
    return toCelValue(value, selectSchema(this.schema, key));
  }

  override has(key: CelValue): boolean {
    const value = typeof key === 'string' ? readProperty(this.json, key) : undefined;
    return value !== undefined && (value !== null || !hidesNull(this.schema));
  }

  keys(): readonly string[] {
    this.#keys ??= Object.keys(this.json).filter((key) => this.json[key] !== undefined);
    return this.#keys;
  }
}

/** A JSON array as a list; items are wrapped when they are read. */
export class JsonList extends CelList {
  readonly json: readonly unknown[];
  readonly schema: StructuralSchema | undefined;

  constructor(json: readonly unknown[], schema: StructuralSchema | undefined) {
    super();
    this.json = json;
    this.schema = schema;
  }

  get size(): number {
    return this.json.length;
  }

  get listType(): 'atomic' | 'set' | 'map' {
    return this.schema?.listType ?? 'atomic';
  }

  at(index: number): CelValue {
    return toCelValue(this.json[index], this.schema?.items);
  }

  /** What the item of a list of type `map` is known by in the list; `undefined`: it is no map. */
  readKey(item: CelValue): string | undefined {
    if (!(item instanceof CelMap)) return undefined;
    return JSON.stringify((this.schema?.listMapKeys ?? []).map((name) => readScalar(item.get(name))));
  }
}

function readScalar(value: CelValue | undefined): string | number | boolean | null {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return String(value);
    default:
      return value instanceof CelDouble ? value.value : null;
  }
}

/** Whether a member that is null is no member: that of an object with named fields. */
function hidesNull(schema: StructuralSchema | undefined): boolean {
  return schema?.isDeclared === true && schema.properties !== undefined;
}

/** The schema of a property; `undefined`: none is known. */
export function selectSchema(schema: StructuralSchema | undefined, name: string): StructuralSchema | undefined {
  if (schema === undefined) return undefined;
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : schema.values;
}

/**
 * A JSON value as an expression sees it; nothing is copied. Where the schema says `number`, a number is a double; elsewhere one without a
 * fraction is an int. Lists are sets or maps where the schema says so. A CEL value is itself, and what is absent is null.
 */
export function toCelValue(json: unknown, schema?: StructuralSchema): CelValue {
  switch (typeof json) {
    case 'string':
      return schema?.isDeclared === true && schema.format !== undefined ? readDeclaredText(json, schema.format) : json;
    case 'boolean':
      return json;
    case 'number':
      return toNumberValue(json, schema);
    case 'bigint':
      return toCanonicalInt(json);
    case 'object':
      break;
    default:
      return null;
  }
  if (json === null) return null;
  if (Array.isArray(json)) return new JsonList(json, schema);
  const prototype: unknown = Object.getPrototypeOf(json);
  return prototype === Object.prototype || prototype === null
    ? new JsonMap(json as JsonObject, schema)
    : (json as CelValue);
}

function toNumberValue(json: number, schema: StructuralSchema | undefined): CelValue {
  if (schema?.type === 'number') return new CelDouble(json);
  if (Number.isSafeInteger(json)) return json + 0;
  return Number.isInteger(json) && Math.abs(json) < 2 ** 63 ? toCanonicalInt(BigInt(json)) : new CelDouble(json);
}
