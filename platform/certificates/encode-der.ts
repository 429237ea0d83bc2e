/** Tags of the few ASN.1 types that certificates and requests for them are made of. */
export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

const firstGeneralizedYear = 2050;

/** One DER element: its tag, its length, and its parts one after another. */
export function encodeDer(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const digits = content.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, content]);
}

/** A sequence of elements. */
export function encodeSequence(...parts: readonly Uint8Array[]): Buffer {
  return encodeDer(derTags.sequence, ...parts);
}

/** An element with a tag of the context: `constructed` when its content are elements in their turn. */
export function encodeTagged(number: number, constructed: boolean, ...parts: readonly Uint8Array[]): Buffer {
  return encodeDer((constructed ? 0xa0 : 0x80) | number, ...parts);
}

function encodeArc(arc: number): number[] {
  const bytes = [arc & 0x7f];
  for (let rest = arc >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** An object identifier such as `2.5.4.3`. */
export function encodeObjectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return encodeDer(derTags.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(encodeArc)]));
}

/** A whole number that is not negative, from its bytes, the most significant first. */
export function encodeUnsigned(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.of(0) : bytes.subarray(start);
  return encodeDer(derTags.integer, ...((digits[0] ?? 0) >= 0x80 ? [Buffer.of(0), digits] : [digits]));
}

/** A time, to the second, in the form that certificates have for its year. */
export function encodeTime(millis: number): Buffer {
  const text = `${new Date(millis).toISOString().replaceAll(/[-:T]|\.\d+Z/g, '')}Z`;
  const isGeneralized = new Date(millis).getUTCFullYear() >= firstGeneralizedYear;
  return isGeneralized
    ? encodeDer(derTags.generalizedTime, Buffer.from(text, 'latin1'))
    : encodeDer(derTags.utcTime, Buffer.from(text.slice(2), 'latin1'));
}

/** A bit string of whole bytes. */
export function encodeBitString(bytes: Uint8Array): Buffer {
  return encodeDer(derTags.bitString, Buffer.of(0), bytes);
}

/** PEM text of a DER element. */
export function formatPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
