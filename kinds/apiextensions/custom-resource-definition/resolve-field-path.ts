import { FieldPath } from '../../../core/errors/field-path.ts';
import type { JsonSchemaProps } from './custom-resource-definition.ts';

/** Where a path leads; `schema` is `undefined` for a map of anything. */
export interface ResolvedFieldPath {
  readonly path: FieldPath;
  /** Name of the first field. */
  readonly root: string;
  readonly schema: JsonSchemaProps | undefined;
}

/** What is to be known of how a path is written. */
export interface FieldPathRules {
  /** Whether `['name']` may stand in it as well. */
  readonly allowsBrackets: boolean;
}

/** A quoted text up to its end, a delimiter, or what stands between delimiters. */
const token = /'(?:[^]*?[^\\])??'|'[^]*|[.[\]]|[^.[\]]+/g;
const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/** The text between single quotes. */
function unescapeQuoted(text: string): { text: string } | { fault: string } {
  const wrong = text.match(/\\./g)?.findLast((escape) => escapes[escape.charAt(1)] === undefined);
  if (wrong !== undefined) return { fault: `invalid string literal: invalid escape char ${wrong}` };
  return { text: text.replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter) };
}

/** Without a list of them, as this is asked at every step of every path. */
function hasMembers(object: object): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return true;
  return false;
}

const notThere = { fault: 'does not refer to a valid field' };

class PathReader {
  readonly #tokens: readonly string[];
  readonly #rules: FieldPathRules;
  #at = 0;
  #path = FieldPath.empty;
  #root: string | undefined;
  #schema: JsonSchemaProps | undefined;

  constructor(text: string, schema: JsonSchemaProps, rules: FieldPathRules) {
    this.#tokens = text.match(token) ?? [];
    this.#schema = schema;
    this.#rules = rules;
  }

  read(): ResolvedFieldPath | { fault: string } {
    while (this.#at < this.#tokens.length) {
      const found = this.#next() ?? '';
      const fault = found === '.' ? this.#readName() : found === '[' ? this.#readBrackets() : undefined;
      if (fault !== undefined) return fault;
      if (found !== '.' && found !== '[') return { fault: `expected [ or . but got: ${found}` };
    }
    return { path: this.#path, root: this.#root ?? '', schema: this.#schema };
  }

  #next(): string | undefined {
    return this.#tokens[this.#at++];
  }

  #readName(): { fault: string } | undefined {
    const name = this.#next();
    return name === undefined ? { fault: 'unexpected end of JSON path' } : this.#enter(name);
  }

  #readBrackets(): { fault: string } | undefined {
    if (!this.#rules.allowsBrackets) return { fault: 'array notation is not allowed' };
    const quoted = this.#next();
    if (quoted === undefined) return { fault: 'unexpected end of JSON path' };
    if (!/^'[^]*'$/.test(quoted) || quoted.length < 2)
      return { fault: `expected single quoted string but got ${quoted}` };
    const name = unescapeQuoted(quoted.slice(1, -1));
    if ('fault' in name) return name;
    const fault = this.#enter(name.text);
    if (fault !== undefined) return fault;
    const close = this.#next();
    if (close === undefined) return { fault: 'unexpected end of JSON path' };
    return close === ']' ? undefined : { fault: `expected ] but got ${close}` };
  }

  #enter(name: string): { fault: string } | undefined {
    const { properties, additionalProperties } = this.#schema ?? {};
    const isNamed = properties !== undefined && hasMembers(properties);
    if (!isNamed && additionalProperties === undefined) return notThere;
    this.#path = isNamed ? this.#path.child(name) : this.#path.key(name);
    this.#root ??= name;
    if (!isNamed) {
      this.#schema = typeof additionalProperties === 'object' ? additionalProperties : undefined;
      return undefined;
    }
    if (!Object.hasOwn(properties, name)) return notThere;
    this.#schema = properties[name];
    return undefined;
  }
}

/** Follows a path such as `.spec.labels['a.b']` through a schema; or why it cannot be followed. */
export function resolveFieldPath(
  text: string,
  schema: JsonSchemaProps,
  rules: FieldPathRules,
): ResolvedFieldPath | { readonly fault: string } {
  return new PathReader(text, schema, rules).read();
}
