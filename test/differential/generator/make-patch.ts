import { isDeepStrictEqual } from 'node:util';

import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import { isJsonObject } from '../../../core/meta/json.ts';

/** The merge patch that makes `to` of `from`. */
export function makeMergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(from[name], to[name]));
  return Object.fromEntries(
    changed.map((name): [string, JsonValue] => {
      const [old, value] = [from[name], to[name]];
      if (value === undefined) return [name, null];
      return [name, isJsonObject(old) && isJsonObject(value) ? makeMergePatch(old, value) : value];
    }),
  );
}

function escapeName(name: string | number): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Operations of a JSON patch that make `to` of `from`; lists of another length are replaced as a whole. */
export function makeJsonPatch(from: JsonValue, to: JsonValue, path = ''): JsonObject[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length) {
    return from.flatMap((item, i) => makeJsonPatch(item, to[i] as JsonValue, `${path}/${i}`));
  }
  if (!isJsonObject(from) || !isJsonObject(to)) return [{ op: 'replace', path, value: to }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name): JsonObject[] => {
    const [at, old, value] = [`${path}/${escapeName(name)}`, from[name], to[name]];
    if (value === undefined) return [{ op: 'remove', path: at }];
    return old === undefined ? [{ op: 'add', path: at, value }] : makeJsonPatch(old, value, at);
  });
}
