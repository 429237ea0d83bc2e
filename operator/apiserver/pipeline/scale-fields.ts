import { getOwn, isJsonObject, setOwn, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';

/** The names of a path; definitions write a dot in front of it. */
export function splitFieldPath(path: string): string[] {
  return (path.startsWith('.') ? path.slice(1) : path).split('.');
}

/** The value at a dotted path; `undefined` when there is none. */
export function readPath(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of splitFieldPath(path)) value = isJsonObject(value) ? getOwn(value, name) : undefined;
  return value;
}

/** Sets the value at a dotted path, and makes the objects on the way, in place. */
export function writePath(object: JsonObject, path: string, value: JsonValue): void {
  const names = splitFieldPath(path);
  let parent = object;
  for (const name of names.slice(0, -1)) {
    const next = getOwn(parent, name);
    if (isJsonObject(next)) {
      parent = next;
    } else {
      const made: JsonObject = {};
      setOwn(parent, name, made);
      parent = made;
    }
  }
  setOwn(parent, names.at(-1) ?? '', value);
}

/** A label selector, a plain map of labels, or a text already, as the text that a list takes. */
export function formatSelector(selector: JsonValue | undefined): string {
  if (typeof selector === 'string') return selector;
  if (!isJsonObject(selector)) return '';
  const isSelector = 'matchLabels' in selector || 'matchExpressions' in selector;
  const labels = isSelector ? selector['matchLabels'] : selector;
  const terms = new Map<string, string>();
  for (const [key, value] of Object.entries(isJsonObject(labels) ? labels : {}))
    terms.set(`${key}=`, `${key}=${String(value)}`);
  const expressions = isSelector && Array.isArray(selector['matchExpressions']) ? selector['matchExpressions'] : [];
  for (const expression of expressions) {
    if (!isJsonObject(expression)) continue;
    const key = String(expression['key']);
    const values = Array.isArray(expression['values']) ? expression['values'].map(String).toSorted().join(',') : '';
    const texts: Record<string, string> = {
      In: `${key} in (${values})`,
      NotIn: `${key} notin (${values})`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    const operator = String(expression['operator']);
    terms.set(`${key} ${operator}`, texts[operator] ?? key);
  }
  return [...terms.entries()]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, text]) => text)
    .join(',');
}
