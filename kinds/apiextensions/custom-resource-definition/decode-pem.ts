/** A block of PEM. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
  /** Where the text goes on after it. */
  readonly end: number;
}

const startMark = '-----BEGIN ';
const endMark = '\n-----END ';
const dashes = '-----';

/** A line without the blanks at its end, and where the next one begins. */
function readLine(text: string, from: number): { line: string; next: number } {
  const feed = text.indexOf('\n', from);
  let end = feed < 0 ? text.length : feed;
  if (feed > from && text[end - 1] === '\r') end--;
  while (end > from && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return { line: text.slice(from, end), next: feed < 0 ? text.length : feed + 1 };
}

/** `undefined` for what is no base64 to Go, which passes over blanks and line ends. */
function decodeBase64(text: string): Uint8Array | undefined {
  const digits = text.replaceAll(/[ \t\r\n]/g, '');
  if (digits.length % 4 !== 0 || /[^A-Za-z0-9+/=]/.test(digits)) return undefined;
  const padding = digits.indexOf('=');
  if (padding >= 0 && (padding < digits.length - 2 || !digits.endsWith('='))) return undefined;
  return Buffer.from(digits, 'base64');
}

/** The block whose end mark is at `end`, where one begins after `from`; a number: where to look for the next; `undefined`: nowhere. */
function readBlock(text: string, from: number, end: number): PemBlock | number | undefined {
  const afterEnd = end + endMark.length;
  const start = text.slice(from, end).lastIndexOf(startMark);
  if (start < 0 || (start > 0 && text[from + start - 1] !== '\n')) return afterEnd;
  const { line: label, next: bodyStart } = readLine(text, from + start + startMark.length);
  if (!label.endsWith(dashes)) return afterEnd;
  let at = bodyStart;
  for (;;) {
    if (at >= text.length) return undefined;
    const { line, next } = readLine(text, at);
    if (!line.includes(':')) break;
    at = next;
  }
  const hasHeaders = at > bodyStart;
  // Headers may reach beyond the end mark.
  if (at > afterEnd) return undefined;
  if (hasHeaders && at > end) return afterEnd;
  const trailer = readLine(text, afterEnd + label.length);
  if (!text.startsWith(label, afterEnd) || trailer.line !== '') return afterEnd;
  const bytes = decodeBase64(text.slice(at, Math.max(at, end)));
  return bytes === undefined
    ? afterEnd
    : { type: label.slice(0, -dashes.length), hasHeaders, bytes, end: trailer.next };
}

/** The first block of PEM at or after `from`, as Go reads it, in a text of bytes; `undefined` when there is none. Takes time linear in the text. */
export function decodePem(text: string, from: number): PemBlock | undefined {
  let at: number | undefined = from;
  while (at !== undefined) {
    const end = text.indexOf(endMark, at);
    if (end < 0) return undefined;
    const found = readBlock(text, at, end);
    if (typeof found === 'object') return found;
    at = found;
  }
  return undefined;
}
