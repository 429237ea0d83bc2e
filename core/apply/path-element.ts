import { formatGoJson, quoteGo } from '../errors/quote-go.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';

/**
 * One step of a field path in the canonical notation of fieldsV1: `f:name` (a field), `k:{"name":"a"}` (an item of a keyed
 * list, keys in order), `v:"a"` (an item of a set), `i:0` (an index). Equal steps are equal strings.
 */
export type PathElement = string;

/** Steps from the root of an object. */
export type FieldPathSteps = readonly PathElement[];

const KIND_ORDER = 'fkvi';

/** The step to a named field. */
export function makeFieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The step to the item of a keyed list that has these values of the key fields. */
export function makeKeyElement(keys: readonly (readonly [string, JsonValue])[]): PathElement {
  if (keys.length === 1) {
    const [name, value] = keys[0]!;
    return `k:{${formatGoJson(name)}:${formatElementJson(value)}}`;
  }
  const sorted = keys.toSorted((a, b) => compareBytes(a[0], b[0]));
  return `k:{${sorted.map(([name, value]) => `${formatGoJson(name)}:${formatElementJson(value)}`).join(',')}}`;
}

/** The step to an item of a set. */
export function makeValueElement(value: JsonValue): PathElement {
  return `v:${formatElementJson(value)}`;
}

/** The name when `element` is a named field, else `undefined`. */
export function readFieldName(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** Whether `element` is an item of a keyed list. */
export function isKeyElement(element: PathElement): boolean {
  return element.startsWith('k:');
}

/** Canonical form of a key of fieldsV1; `undefined` for a kind of step that is not known, which readers skip. */
export function parsePathElement(text: string): PathElement | { fault: string } | undefined {
  if (text.length < 2) return { fault: 'key must be 2 characters long:' };
  if (text[1] !== ':') return { fault: `missing colon: ${text}` };
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v': {
      const value = readJson(rest);
      return value === undefined ? { fault: `invalid value: ${rest}` } : makeValueElement(value);
    }
    case 'k': {
      const keys = readJson(rest);
      if (!isJsonObject(keys)) return { fault: `invalid key: ${rest}` };
      return makeKeyElement(Object.entries(keys as Record<string, JsonValue>));
    }
    case 'i':
      return /^[+-]?\d+$/.test(rest) ? `i:${Number(rest)}` : { fault: `invalid index: ${rest}` };
    default:
      return undefined;
  }
}

/** Order of steps in fieldsV1: fields, keys, values, indexes; each by its content. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kind = a[0]!;
  if (kind !== b[0]) return KIND_ORDER.indexOf(kind) - KIND_ORDER.indexOf(b[0]!);
  const left = a.slice(2);
  const right = b.slice(2);
  switch (kind) {
    case 'f':
      return compareBytes(left, right);
    case 'k':
      return compareKeys(readKeys(left), readKeys(right));
    case 'v':
      return compareValues(readJson(left) ?? null, readJson(right) ?? null);
    default:
      return Number(left) - Number(right);
  }
}

/** A path as Kubernetes prints it: `.spec.containers[name="c"].image`, `.metadata.finalizers[="a"]`. */
export function formatPath(path: FieldPathSteps): string {
  return path.map(formatPathElement).join('');
}

/** One step as Kubernetes prints it. */
export function formatPathElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${rest}`;
    case 'k':
      return `[${readKeys(rest)
        .map(([name, value]) => `${name}=${formatValue(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${formatValue(readJson(rest) ?? null)}]`;
    default:
      return `[${rest}]`;
  }
}

/** Order of strings by their UTF-8 bytes, as Go compares them. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return rankCodeUnit(left) - rankCodeUnit(right);
  }
  return a.length - b.length;
}

/** Code points beyond U+FFFF come last in UTF-8, but their code units lie before U+E000. */
function rankCodeUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Numbers keep what tells them apart; -0 and 0 are one value. */
function formatElementJson(value: JsonValue): string {
  return formatGoJson(sortKeys(Object.is(value, -0) ? 0 : value));
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value as Record<string, JsonValue>).toSorted((a, b) => compareBytes(a[0], b[0]));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortKeys(member)])) as JsonObject;
}

function readJson(text: string): JsonValue | undefined {
  // An integer beyond 2^53 would lose digits in JSON.parse.
  if (/^-?\d{16,19}$/.test(text)) {
    const exact = BigInt(text);
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
  }
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function readKeys(text: string): (readonly [string, JsonValue])[] {
  const keys = readJson(text);
  return isJsonObject(keys) ? Object.entries(keys as Record<string, JsonValue>) : [];
}

function compareKeys(a: (readonly [string, JsonValue])[], b: (readonly [string, JsonValue])[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareBytes(a[i]![0], b[i]![0]) || compareValues(a[i]![1], b[i]![1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function rankValue(value: JsonValue): number {
  if (typeof value === 'number' || typeof value === 'bigint') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (Array.isArray(value)) return 3;
  return value === null ? 5 : 4;
}

function compareValues(a: JsonValue, b: JsonValue): number {
  const rank = rankValue(a) - rankValue(b);
  if (rank !== 0) return rank;
  switch (rankValue(a)) {
    case 0:
      return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
    case 2:
      return Number(a) - Number(b);
    case 1:
      return compareBytes(a as string, b as string);
    default:
      return compareBytes(formatGoJson(a), formatGoJson(b));
  }
}

function formatValue(value: JsonValue): string {
  if (typeof value === 'string') return quoteGo(value);
  if (Array.isArray(value)) return `[${value.map(formatValue).join(',')}]`;
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value as Record<string, JsonValue>)
    .map(([key, member]) => `${key}=${formatValue(member)}`)
    .join('');
}
