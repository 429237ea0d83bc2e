/**
 * Texts as Go has them: strings of bytes. Here each character of such a string is one byte.
 * What is no UTF-8 becomes U+FFFD when it is turned back into text.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(text);
}

/** The bytes of a text. */
export function toByteString(text: string): string {
  if (isAscii(text)) return text;
  const parts: string[] = [];
  const bytes = encoder.encode(text);
  for (let i = 0; i < bytes.length; i += 8192) parts.push(String.fromCharCode(...bytes.subarray(i, i + 8192)));
  return parts.join('');
}

/** The text that bytes make. */
export function fromByteString(bytes: string): string {
  if (isAscii(bytes)) return bytes;
  return decoder.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
