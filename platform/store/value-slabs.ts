import type { StoredObject } from './object-store.ts';

const SLAB_BYTES = 256 << 10;
/** A larger value has a block of its own: such come in memory of their own, which is then not copied. */
const MAX_SHARED_BYTES = 4 << 10;
/** A full block of which less than this is in use is emptied. */
const LEAST_LIVE_PART = 0.75;

/** A block of values. Its bytes are never overwritten: who still reads a value that is gone keeps the block alive. */
interface Slab {
  readonly bytes: Buffer;
  /** Whether more than one value may come into it. */
  readonly isShared: boolean;
  /** Bytes that are taken. */
  used: number;
  /** Bytes of values that are kept. */
  live: number;
  readonly objects: KeptObject[];
}

/** A stored object without its value, and where that is. */
export class KeptObject {
  readonly key: string;
  readonly revision: number;
  readonly length: number;
  isKept = true;
  #slab: Slab;
  #offset: number;
  /** Of the last reading, so that whoever remembers something of the bytes finds it by the same buffer. */
  #view: Buffer | undefined;

  /** To be made by ValueSlabs. */
  constructor(key: string, revision: number, length: number, slab: Slab, offset: number) {
    this.key = key;
    this.revision = revision;
    this.length = length;
    this.#slab = slab;
    this.#offset = offset;
  }

  /** Where the value is now. */
  get slab(): Slab {
    return this.#slab;
  }

  /** The whole object. Its value is a view of memory that is not changed, and lives as long as the view. */
  read(): StoredObject {
    this.#view ??= this.viewValue();
    return { key: this.key, revision: this.revision, value: this.#view };
  }

  /** The same without keeping the view for the next reading, which costs memory as long as the object is kept. */
  readOnce(): StoredObject {
    return { key: this.key, revision: this.revision, value: this.#view ?? this.viewValue() };
  }

  /** A new view of the value. */
  viewValue(): Buffer {
    return this.#slab.bytes.subarray(this.#offset, this.#offset + this.length);
  }

  /** The value has been copied to another block. */
  moveTo(slab: Slab, offset: number): void {
    this.#slab = slab;
    this.#offset = offset;
    this.#view = undefined;
  }
}

function makeSlab(bytes: Buffer, isShared: boolean): Slab {
  return { bytes, isShared, used: 0, live: 0, objects: [] };
}

function makeSharedSlab(): Slab {
  return makeSlab(Buffer.allocUnsafeSlow(SLAB_BYTES), true);
}

function isSparse(slab: Slab): boolean {
  return slab.live < slab.used * LEAST_LIVE_PART;
}

/** The bytes without whatever else is in their memory. */
function detach(value: Buffer): Buffer {
  if (value.byteLength === value.buffer.byteLength) return value;
  const copy = Buffer.allocUnsafeSlow(value.byteLength);
  copy.set(value);
  return copy;
}

/**
 * Memory for the values of stored objects. A buffer of its own costs each value more than half a kilobyte beside its bytes, so small ones
 * share blocks; what is left in a block that many values have gone from moves on, so that at most a third of the memory is unused.
 */
export class ValueSlabs {
  #current = makeSharedSlab();

  /** Copies the object, but for a large value that has its memory to itself. */
  keep({ key, revision, value }: StoredObject): KeptObject {
    const length = value.byteLength;
    if (length > MAX_SHARED_BYTES) return new KeptObject(key, revision, length, makeSlab(detach(value), false), 0);
    const { slab, offset } = this.#place(value);
    const object = new KeptObject(key, revision, length, slab, offset);
    slab.objects.push(object);
    return object;
  }

  /** Gives up what `keep` returned, which can be read still; returns its value in memory that is not shared with what is kept. */
  release(object: KeptObject): Buffer {
    const { slab, length } = object;
    if (!slab.isShared) return object.viewValue();
    const value = Buffer.from(object.viewValue());
    if (object.isKept) {
      object.isKept = false;
      slab.live -= length;
      if (slab !== this.#current && isSparse(slab)) this.#empty(slab);
    }
    return value;
  }

  #place(value: Uint8Array): { readonly slab: Slab; readonly offset: number } {
    if (this.#current.used + value.byteLength > SLAB_BYTES) {
      const full = this.#current;
      this.#current = makeSharedSlab();
      if (isSparse(full)) this.#empty(full);
    }
    const slab = this.#current;
    const offset = slab.used;
    slab.bytes.set(value, offset);
    slab.used += value.byteLength;
    slab.live += value.byteLength;
    return { slab, offset };
  }

  #empty(slab: Slab): void {
    for (const object of slab.objects.splice(0)) {
      if (!object.isKept) continue;
      const moved = this.#place(object.viewValue());
      object.moveTo(moved.slab, moved.offset);
      moved.slab.objects.push(object);
    }
  }
}
