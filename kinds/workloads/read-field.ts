import { getOwn, isJsonObject, setOwn } from '../../core/meta/json.ts';
import type { JsonObject, JsonValue } from '../../core/meta/json.ts';

/** The value below `value` at a path of keys and indexes; `undefined` when anything on the way is absent. */
export function readField(value: unknown, ...path: (string | number)[]): JsonValue | undefined {
  let current = value;
  for (const step of path) {
    if (typeof step === 'number') current = Array.isArray(current) ? (current as unknown[])[step] : undefined;
    else current = isJsonObject(current) ? getOwn(current, step) : undefined;
  }
  return current as JsonValue | undefined;
}

/** The text at a path; empty when there is none. */
export function readText(value: unknown, ...path: (string | number)[]): string {
  const found = readField(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The number at a path; `undefined` when there is none. Numbers too large to be exact are rounded. */
export function readNumber(value: unknown, ...path: (string | number)[]): number | undefined {
  const found = readField(value, ...path);
  return typeof found === 'number' || typeof found === 'bigint' ? Number(found) : undefined;
}

/** Whether the flag at a path is set. */
export function readFlag(value: unknown, ...path: (string | number)[]): boolean {
  return readField(value, ...path) === true;
}

/** The list at a path; empty when there is none. */
export function readList(value: unknown, ...path: (string | number)[]): JsonValue[] {
  const found = readField(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The texts of the list at a path, in order; anything else in it reads as an empty text. */
export function readTextList(value: unknown, ...path: (string | number)[]): string[] {
  return readList(value, ...path).map((item) => (typeof item === 'string' ? item : ''));
}

/** The objects of the list at a path, in order; anything else in it reads as an empty object. */
export function readItems(value: unknown, ...path: (string | number)[]): JsonObject[] {
  return readList(value, ...path).map((item) => (isJsonObject(item) ? item : {}));
}

/** The object at a path; `undefined` when there is none. */
export function readObject(value: unknown, ...path: (string | number)[]): JsonObject | undefined {
  const found = readField(value, ...path);
  return isJsonObject(found) ? found : undefined;
}

/** The map of texts at a path; empty when there is none. */
export function readTexts(value: unknown, ...path: (string | number)[]): Record<string, string> {
  return (readObject(value, ...path) ?? {}) as Record<string, string>;
}

/** The object in the field `key`, made when it is absent or null. */
export function ensureObject(parent: object, key: string): JsonObject {
  const found = getOwn(parent as JsonObject, key);
  if (isJsonObject(found)) return found;
  const made: JsonObject = {};
  setOwn(parent, key, made);
  return made;
}

/** Fills a field that is absent, null, or has the empty text; a flag or a number stays as it is. */
export function fillField(parent: object, key: string, value: JsonValue): void {
  const found = getOwn(parent as JsonObject, key);
  if (found === undefined || found === null || found === '') setOwn(parent, key, value);
}
