/** A JSON value as the decoder yields it: an integer beyond ±2^53 is a bigint, every other number a number. */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | JsonObject;

/** A JSON object. `undefined` reads as "absent"; writers never store it. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** Tells whether `value` is a JSON object (neither an array nor null). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Sets `object[key]` as an own property, whatever the key.
 * Keys that come from outside go through here: a plain assignment to `__proto__` would change the prototype instead.
 */
export function setOwn(object: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (object as Record<string, unknown>)[key] = value;
  }
}

/** Reads an own property; `undefined` when `object` has none of that name (inherited ones such as `constructor` do not count). */
export function getOwn(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
