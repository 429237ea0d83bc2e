/** Integers that a double cannot hold stay what they are: what overflows at one server must not read as equal. */
const keepIntegers = ((_key: string, value: unknown, { source }: { source?: string }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
    ? BigInt(source)
    : value) as (key: string, value: unknown) => unknown;

/** Parsed JSON, in which integers beyond 2^53 are bigints; throws a SyntaxError. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, keepIntegers);
}

/** Parsed JSON, a list of parsed lines, or text; integers beyond 2^53 are bigints. */
export function parseBody(bytes: Buffer, contentType: string): unknown {
  const text = bytes.toString('utf8');
  if (!contentType.includes('json') || text === '') return text;
  try {
    return parseExactJson(text);
  } catch {
    // Watches are lines of JSON.
  }
  try {
    return text.trimEnd().split('\n').map(parseExactJson);
  } catch {
    return text;
  }
}
