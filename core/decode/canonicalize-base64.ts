/** Base64 text in canonical form (no line breaks, spare bits zero), or the offset of the first byte that Go's decoder refuses. */
export function canonicalizeBase64(text: string): { text: string } | { faultAt: number } {
  const significant = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text;
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(significant)) {
    return { text: clearSpareBits(significant) };
  }
  return { faultAt: findFault(text) };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function clearSpareBits(text: string): string {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (padding === 0) return text;
  const at = text.length - padding - 1;
  const mask = padding === 2 ? 0b110000 : 0b111100;
  return text.slice(0, at) + alphabet.charAt(alphabet.indexOf(text.charAt(at)) & mask) + '='.repeat(padding);
}

/** Go counts bytes, reads four digits at a time, and names where a group breaks off, where padding is wrong, or the wrong byte itself. */
function findFault(text: string): number {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  for (;;) {
    let digits = 0;
    while (digits < 4) {
      if (at >= bytes.length) return at - digits;
      const character = String.fromCharCode(bytes[at] ?? 0);
      at++;
      if (character === '\n' || character === '\r') continue;
      if (alphabet.includes(character)) {
        digits++;
        continue;
      }
      if (character !== '=' || digits < 2) return at - 1;
      at = skipLineBreaks(bytes, at);
      if (digits === 2) {
        if (at >= bytes.length) return bytes.length;
        if (bytes[at] !== 0x3d) return at - 1;
        at = skipLineBreaks(bytes, at + 1);
      }
      return at;
    }
  }
}

function skipLineBreaks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return at;
}
