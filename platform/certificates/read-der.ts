/** One DER element: its tag, its content, and all its bytes. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** The elements that follow one another in `bytes`. Throws when they are cut short. */
export function readDer(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let start = 0; start < bytes.length;) {
    const tag = bytes.readUInt8(start);
    const first = bytes.readUInt8(start + 1);
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(start + 2, lengthBytes);
    const contentStart = start + 2 + lengthBytes;
    const end = contentStart + length;
    if (end > bytes.length) throw new RangeError('a DER element is cut short');
    elements.push({ tag, content: bytes.subarray(contentStart, end), whole: bytes.subarray(start, end) });
    start = end;
  }
  return elements;
}
