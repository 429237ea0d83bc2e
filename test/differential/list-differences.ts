import { isDeepStrictEqual } from 'node:util';

/** A place in which two values differ; `undefined` where one has nothing. */
export interface ValueDifference {
  /** Dotted, with indices as names. */
  readonly path: string;
  readonly real: unknown;
  readonly ours: unknown;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function join(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

/** Every place in which two JSON values differ, as deep as both have the same shape; lists of unequal length differ as a whole. */
export function listDifferences(real: unknown, ours: unknown, path = ''): ValueDifference[] {
  if (isDeepStrictEqual(real, ours)) return [];
  if (Array.isArray(real) && Array.isArray(ours) && real.length === ours.length) {
    return real.flatMap((item, i) => listDifferences(item, ours[i], join(path, i)));
  }
  if (!isObject(real) || !isObject(ours)) return [{ path, real, ours }];
  const names = [...new Set([...Object.keys(real), ...Object.keys(ours)])];
  return names.flatMap((name) => listDifferences(real[name], ours[name], join(path, name)));
}

/** A copy without what stands at a dotted path, where `*` is every item or name. */
export function dropPath(value: unknown, path: readonly string[]): unknown {
  const [name = '', ...rest] = path;
  const change = (key: string, item: unknown): unknown[] => {
    if (name !== '*' && name !== key) return [item];
    return rest.length === 0 ? [] : [dropPath(item, rest)];
  };
  if (Array.isArray(value)) return value.flatMap((item, i) => change(String(i), item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => change(key, item).map((kept) => [key, kept])),
  );
}
