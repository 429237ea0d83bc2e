const fatalDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8 as Go does: each byte that does not belong to a valid sequence becomes one U+FFFD.
 * (WHATWG's decoder replaces a truncated sequence by a single one.)
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return fatalDecoder.decode(bytes);
  } catch {
    return decodeInvalid(bytes);
  }
}

function decodeInvalid(bytes: Uint8Array): string {
  const pieces: string[] = [];
  let validFrom = 0;
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceLength(bytes, i);
    if (length === 0) {
      pieces.push(fatalDecoder.decode(bytes.subarray(validFrom, i)), '\ufffd');
      i++;
      validFrom = i;
    } else {
      i += length;
    }
  }
  pieces.push(fatalDecoder.decode(bytes.subarray(validFrom)));
  return pieces.join('');
}

/** Length of the valid sequence at `at`; 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let i = 2; i < length; i++) {
    const next = bytes[at + i] ?? 0;
    if (next < 0x80 || next > 0xbf) return 0;
  }
  return length;
}

/** The first UTF-8 byte of a character, as the character with that code (Go's scanners quote single bytes). */
export function firstByteAsCharacter(character: string): string {
  const byte = new TextEncoder().encode(character)[0] ?? 0;
  return String.fromCharCode(byte);
}
