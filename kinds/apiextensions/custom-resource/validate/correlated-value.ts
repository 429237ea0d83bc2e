import { deepEqual } from '../../../../core/meta/deep.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { itemsOf, propertyOf, valuesOf } from '../schema-parts.ts';

/** A value of an object together with what stood in its place before; finds the same of what is inside. */
export class CorrelatedValue {
  readonly value: JsonValue | undefined;
  /** `undefined` when nothing stood there. */
  readonly old: JsonValue | undefined;
  readonly #schema: JsonSchemaProps;
  readonly #children = new Map<string | number, CorrelatedValue | undefined>();
  #oldItems: KeyedItems | undefined;
  #isEqual: boolean | undefined;

  constructor(value: JsonValue | undefined, old: JsonValue | undefined, schema: JsonSchemaProps) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  /** A member, where both values have it and the schema knows it. */
  member(name: string): CorrelatedValue | undefined {
    if (this.#children.has(name)) return this.#children.get(name);
    const child = this.#makeMember(name);
    this.#children.set(name, child);
    return child;
  }

  #makeMember(name: string): CorrelatedValue | undefined {
    if (!isJsonObject(this.value) || !isJsonObject(this.old)) return undefined;
    const [value, old] = [getOwn(this.value, name), getOwn(this.old, name)];
    const schema = propertyOf(this.#schema, name) ?? valuesOf(this.#schema);
    if (value === undefined || old === undefined || schema === undefined) return undefined;
    return new CorrelatedValue(value, old, schema);
  }

  /** An item and that with the same keys before; only lists of type `map` tell which that is. */
  item(index: number): CorrelatedValue | undefined {
    if (this.#children.has(index)) return this.#children.get(index);
    const child = this.#makeItem(index);
    this.#children.set(index, child);
    return child;
  }

  #makeItem(index: number): CorrelatedValue | undefined {
    const items = itemsOf(this.#schema);
    if (!Array.isArray(this.value) || !Array.isArray(this.old) || items === undefined) return undefined;
    if (this.#schema['x-kubernetes-list-type'] !== 'map') return undefined;
    this.#oldItems ??= new KeyedItems(this.old, this.#schema);
    const value = this.value[index];
    const old = this.#oldItems.find(value);
    return old === undefined ? undefined : new CorrelatedValue(value, old, items);
  }

  /** Whether nothing changed; lists of type `map` are the same in another order. */
  get isUnchanged(): boolean {
    this.#isEqual ??= this.#compare();
    return this.#isEqual;
  }

  #compare(): boolean {
    const { value, old } = this;
    if (value === undefined || value === null || old === undefined || old === null) {
      return (value ?? null) === null && (old ?? null) === null;
    }
    if (Array.isArray(value) !== Array.isArray(old) || isJsonObject(value) !== isJsonObject(old)) return false;
    if (Array.isArray(value) && Array.isArray(old)) return this.#compareItems(value, old);
    if (isJsonObject(value) && isJsonObject(old)) {
      const keys = Object.keys(value);
      if (keys.length !== Object.keys(old).length) return false;
      return keys.every((key) => this.member(key)?.isUnchanged === true);
    }
    return value === old;
  }

  #compareItems(value: readonly JsonValue[], old: readonly JsonValue[]): boolean {
    if (value.length !== old.length) return false;
    if (this.#schema['x-kubernetes-list-type'] !== 'map') return deepEqual(value, old);
    return value.every((_, index) => this.item(index)?.isUnchanged === true);
  }
}

/** The items of a list of type `map` by their keys. */
export class KeyedItems {
  readonly #byKey = new Map<string, JsonObject>();
  readonly #keys: readonly string[];

  constructor(items: readonly JsonValue[], schema: JsonSchemaProps) {
    this.#keys = schema['x-kubernetes-list-map-keys'] ?? [];
    for (const item of items) {
      const key = this.#readKey(item);
      if (key !== undefined && !this.#byKey.has(key)) this.#byKey.set(key, item as JsonObject);
    }
  }

  /** The item with the same keys as `item`; `undefined` when there is none, or a key of `item` is missing or no scalar. */
  find(item: JsonValue | undefined): JsonObject | undefined {
    const key = this.#readKey(item);
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  #readKey(item: JsonValue | undefined): string | undefined {
    if (!isJsonObject(item)) return undefined;
    const parts: string[] = [];
    for (const name of this.#keys) {
      const value = getOwn(item, name);
      if (value === undefined || value === null || typeof value === 'object') return undefined;
      parts.push(`${typeof value === 'string' ? 's' : ''}${JSON.stringify(String(value))}`);
    }
    return parts.join(',');
  }
}
