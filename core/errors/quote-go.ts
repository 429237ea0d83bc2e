/** Go's escapes that have a letter, or the character itself, behind the backslash; by character. */
export const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function escapeCodePoint(character: string): string {
  const named = NAMED_ESCAPES[character];
  if (named !== undefined) return named;
  if (PRINTABLE.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  // An unpaired surrogate has no UTF-8 form: Go would have decoded it to the replacement character.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** A string in double quotes as Go's `%q` prints it. */
export function quoteGo(text: string): string {
  if (/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text)) return `"${text}"`;
  return `"${Array.from(text, escapeCodePoint).join('')}"`;
}

/** Tells whether Go's `unicode.IsPrint` holds for a single code point. */
export function isPrintable(character: string): boolean {
  return PRINTABLE.test(character);
}

const JSON_ESCAPED = /[<>&\u2028\u2029]/g;

function quoteJson(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    JSON_ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * A JSON value as Go's `json.Marshal` prints it: `<`, `>` and `&` escaped, bigints exact, keys in the order they have
 * (Go sorts the keys of maps and keeps a struct's order: whoever passes a map sorts it), `undefined` members left out.
 */
export function formatGoJson(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return quoteJson(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(formatGoJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${quoteJson(key)}:${formatGoJson(member)}`);
  return `{${members.join(',')}}`;
}
