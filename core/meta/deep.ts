import { isJsonObject, setOwn } from './json.ts';

/**
 * Compares two JSON values by value. Keys whose value is `undefined` count as absent, the order of keys does not matter,
 * a number and a bigint of the same value are equal. Depth is bounded by memory only.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  const pending: unknown[] = [a, b];
  while (pending.length > 0) {
    const right = pending.pop();
    const left = pending.pop();
    if (left === right) continue;
    if (Array.isArray(left)) {
      if (!Array.isArray(right) || left.length !== right.length) return false;
      for (let i = 0; i < left.length; i++) pending.push(left[i], right[i]);
    } else if (isJsonObject(left)) {
      if (!isJsonObject(right)) return false;
      for (const key of Object.keys(left)) {
        if (left[key] === undefined) continue;
        if (!Object.hasOwn(right, key) || right[key] === undefined) return false;
        pending.push(left[key], right[key]);
      }
      for (const key of Object.keys(right)) {
        if (right[key] !== undefined && (!Object.hasOwn(left, key) || left[key] === undefined)) return false;
      }
    } else if (!isSameScalar(left, right)) {
      return false;
    }
  }
  return true;
}

function isSameScalar(left: unknown, right: unknown): boolean {
  if (typeof left === 'bigint' || typeof right === 'bigint') {
    return (
      (typeof left === 'number' || typeof left === 'bigint') &&
      (typeof right === 'number' || typeof right === 'bigint') &&
      // eslint-disable-next-line eqeqeq -- a bigint and a number of the same value are equal only this way
      left == right
    );
  }
  return Object.is(left, right);
}

/** Copies a JSON value whole; keys whose value is `undefined` are left out. Depth is bounded by memory only. */
export function deepClone<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const root = emptyLike(value);
  const pending: object[] = [value, root];
  while (pending.length > 0) {
    const target = pending.pop() as object;
    const source = pending.pop() as object;
    if (Array.isArray(source)) {
      const list = target as unknown[];
      for (let i = 0; i < source.length; i++) list.push(copyMember(source[i], pending));
    } else {
      const object = source as Record<string, unknown>;
      for (const key of Object.keys(object)) {
        const member = object[key];
        if (member !== undefined) setOwn(target, key, copyMember(member, pending));
      }
    }
  }
  return root as T;
}

function emptyLike(value: object): object {
  return Array.isArray(value) ? [] : {};
}

function copyMember(member: unknown, pending: object[]): unknown {
  if (typeof member !== 'object' || member === null) return member;
  const copy = emptyLike(member);
  pending.push(member, copy);
  return copy;
}
