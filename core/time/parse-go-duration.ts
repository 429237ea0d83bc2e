const UNIT_MILLIS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
/** Go counts nanoseconds in 64 bits. */
const MAX_MILLIS = 2 ** 63 / 1e6;
const PART = /^(\d*)(?:\.(\d*))?([^\d.]*)/;

/** A text in quotes as Go's package of times quotes it: bytes that are not printable ASCII as `\xNN`. */
function quoteText(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => {
    if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, '0')}`;
    const character = String.fromCharCode(byte);
    return character === '"' || character === '\\' ? `\\${character}` : character;
  });
  return `"${bytes.join('')}"`;
}

/** Reads a duration such as `1m30s` or `-1.5h` as Go does: milliseconds with their fraction, or a fault in Go's words. */
export function parseGoDuration(text: string): { readonly millis: number } | { readonly fault: string } {
  const invalid = { fault: `time: invalid duration ${quoteText(text)}` };
  const sign = text.startsWith('-') ? -1 : 1;
  let rest = /^[-+]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return { millis: 0 };
  if (rest === '') return invalid;
  let millis = 0;
  while (rest !== '') {
    const [whole = '', digits = '', fraction = '', unit = ''] = PART.exec(rest) ?? [];
    if (digits === '' && fraction === '') return invalid;
    if (unit === '') return { fault: `time: missing unit in duration ${quoteText(text)}` };
    if (!Object.hasOwn(UNIT_MILLIS, unit)) {
      return { fault: `time: unknown unit ${quoteText(unit)} in duration ${quoteText(text)}` };
    }
    millis += Number(`${digits || '0'}.${fraction || '0'}`) * (UNIT_MILLIS[unit] ?? 0);
    if (millis > MAX_MILLIS) return invalid;
    rest = rest.slice(whole.length);
  }
  return { millis: sign * millis };
}
