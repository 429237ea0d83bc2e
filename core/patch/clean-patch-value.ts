import { isJsonObject, type JsonValue } from '../meta/json.ts';

/** Tells whether a value is itself a directive, an object with `$patch`. */
export function isDirective(value: JsonValue | undefined): boolean {
  return isJsonObject(value) && Object.hasOwn(value, '$patch');
}

/** Removes members that are null, however deep, in place. */
export function discardNulls(value: JsonValue): void {
  const pending: JsonValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) pending.push(item);
    } else if (isJsonObject(next)) {
      for (const key of Object.keys(next)) {
        const member = next[key];
        if (member === null || member === undefined) delete next[key];
        else pending.push(member);
      }
    }
  }
}

/** Removes directives, however deep, in place; `undefined` when the value is one itself. */
export function removeDirectives(value: JsonValue): JsonValue | undefined {
  if (isDirective(value)) return undefined;
  const pending: JsonValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) {
      const kept = next.filter((item) => !isDirective(item));
      next.splice(0, next.length);
      for (const item of kept) {
        next.push(item);
        pending.push(item);
      }
    } else if (isJsonObject(next)) {
      for (const key of Object.keys(next)) {
        const member = next[key];
        if (isDirective(member)) delete next[key];
        else if (member !== undefined) pending.push(member);
      }
    }
  }
  return value;
}
