/** One row of the history as it travels between the threads. `previousRevision` is 0 for a creation. */
export interface HistoryRow {
  readonly revision: number;
  readonly previousRevision: number;
  readonly deleted: boolean;
  readonly key: string;
  readonly value: Uint8Array;
  /** Value before the change; only event pages carry it. */
  readonly previous?: Uint8Array | undefined;
}

/** A row to pack; its key may be encoded already. */
export type PackableRow = Omit<HistoryRow, 'key'> & { readonly key: string | Uint8Array };

const HEADER_BYTES = 32;
const ABSENT = 0xffff_ffff;

/**
 * Packs rows into one ArrayBuffer that can be transferred between threads instead of cloned: into `spare` where that is
 * large enough, into a new one otherwise. `unpackRows` needs the count beside it.
 */
export function packRows(rows: readonly PackableRow[], spare?: ArrayBuffer): ArrayBuffer {
  let size = 0;
  for (const row of rows) size += boundPackedSize(row);
  const target = spare !== undefined && spare.byteLength >= size ? spare : new ArrayBuffer(size);
  const bytes = Buffer.from(target);
  let offset = 0;
  for (const row of rows) {
    const keyLength = writeKey(bytes, row.key, offset + HEADER_BYTES);
    bytes.writeDoubleLE(row.revision, offset);
    bytes.writeDoubleLE(row.previousRevision, offset + 8);
    bytes.writeUInt32LE(keyLength, offset + 16);
    bytes.writeUInt32LE(row.value.byteLength, offset + 20);
    bytes.writeUInt32LE(row.previous?.byteLength ?? ABSENT, offset + 24);
    bytes.writeUInt32LE(row.deleted ? 1 : 0, offset + 28);
    offset += HEADER_BYTES + keyLength;
    bytes.set(row.value, offset);
    offset += row.value.byteLength;
    if (row.previous === undefined) continue;
    bytes.set(row.previous, offset);
    offset += row.previous.byteLength;
  }
  return target;
}

/** A packed row; `key` holds UTF-8. The byte arrays are views: whoever keeps one must copy it. */
export type PackedRow = Omit<HistoryRow, 'key'> & { readonly key: Buffer };

/** Calls `visit` for each of `count` packed rows. */
export function unpackRows(packed: ArrayBuffer, count: number, visit: (row: PackedRow) => void): void {
  const bytes = Buffer.from(packed);
  let offset = 0;
  for (let i = 0; i < count; i++) {
    const keyStart = offset + HEADER_BYTES;
    const valueStart = keyStart + bytes.readUInt32LE(offset + 16);
    const previousStart = valueStart + bytes.readUInt32LE(offset + 20);
    const previousLength = bytes.readUInt32LE(offset + 24);
    const end = previousStart + (previousLength === ABSENT ? 0 : previousLength);
    visit({
      revision: bytes.readDoubleLE(offset),
      previousRevision: bytes.readDoubleLE(offset + 8),
      deleted: bytes.readUInt32LE(offset + 28) === 1,
      key: bytes.subarray(keyStart, valueStart),
      value: bytes.subarray(valueStart, previousStart),
      previous: previousLength === ABSENT ? undefined : bytes.subarray(previousStart, end),
    });
    offset = end;
  }
}

function boundPackedSize({ key, value, previous }: PackableRow): number {
  const keyBytes = typeof key === 'string' ? key.length * 3 : key.byteLength;
  return HEADER_BYTES + keyBytes + value.byteLength + (previous?.byteLength ?? 0);
}

function writeKey(bytes: Buffer, key: string | Uint8Array, offset: number): number {
  if (typeof key === 'string') return bytes.write(key, offset);
  bytes.set(key, offset);
  return key.byteLength;
}
