/** Bytes that are not the message that they should be; the message is worded as Go words it. */
export class ProtobufError extends Error {}

/** How a field is written. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** What stands before every field. */
export interface ProtobufTag {
  readonly field: number;
  readonly wireType: number;
}

const int63 = 2 ** 63;
const maxFieldNumber = 2 ** 31;

/** Reads the parts of one message from its bytes, in their order. All methods throw {@link ProtobufError}. */
export class ProtobufReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** `message` is the short name of what is read, for the fault. */
  readTag(message: string): ProtobufTag {
    const tag = this.#readNumber();
    const wireType = tag % 8;
    if (wireType === wireTypes.endGroup) {
      throw new ProtobufError(`proto: ${message}: wiretype end group for non-group`);
    }
    const field = Math.floor(tag / 8);
    if (field === 0 || field >= maxFieldNumber) {
      throw new ProtobufError(`proto: ${message}: illegal tag ${field | 0} (wire type ${tag})`);
    }
    return { field, wireType };
  }

  /** A varint as a signed integer of 32 or 64 bits; a bigint beyond what a number holds exactly. */
  readInteger(bits: 32 | 64): number | bigint {
    const start = this.#at;
    const value = this.#readNumber();
    if (bits === 32 && value <= Number.MAX_SAFE_INTEGER) return value | 0;
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    this.#at = start;
    const exact = BigInt.asIntN(bits, this.#readBigint());
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
  }

  readBytes(): Uint8Array {
    const length = this.#readNumber();
    if (length >= int63) throw new ProtobufError('proto: negative length found during unmarshaling');
    return this.#take(length);
  }

  readDouble(): number {
    const taken = this.#take(8);
    return new DataView(taken.buffer, taken.byteOffset, 8).getFloat64(0, true);
  }

  /** Passes over a field that nobody knows, groups included. */
  skip(wireType: number): void {
    let depth = 0;
    let next = wireType;
    for (;;) {
      if (next === wireTypes.varint) this.#readNumber();
      else if (next === wireTypes.fixed64) this.#take(8);
      else if (next === wireTypes.bytes) this.readBytes();
      else if (next === wireTypes.startGroup) depth += 1;
      else if (next === wireTypes.endGroup) depth -= 1;
      else if (next === wireTypes.fixed32) this.#take(4);
      else throw new ProtobufError(`proto: illegal wireType ${next}`);
      if (depth === 0) return;
      next = this.#readNumber() % 8;
    }
  }

  /** An unsigned varint, exact up to 2^53. */
  #readNumber(): number {
    let value = 0;
    for (let factor = 1, count = 0; count < 10; count += 1, factor *= 128) {
      const byte = this.#readByte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new ProtobufError('proto: integer overflow');
  }

  #readBigint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#readByte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  #readByte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new ProtobufError('unexpected EOF');
    this.#at += 1;
    return byte;
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ProtobufError('unexpected EOF');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
