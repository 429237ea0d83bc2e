import type { CelType } from '../types/cel-type.ts';

/** An unsigned integer; `value` is within 0 … 2^64-1. */
export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A floating-point number. It has a class of its own, so that a plain number is always an integer. */
export class CelDouble {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A point in time; `nanos` is within 0 … 999,999,999. `offsetSeconds` east of UTC is how it was written, and is written again. */
export class CelTimestamp {
  readonly seconds: number;
  readonly nanos: number;
  readonly offsetSeconds: number;

  constructor(seconds: number, nanos: number, offsetSeconds = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }
}

/** A length of time in nanoseconds. */
export class CelDuration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A value that may be absent. */
export class CelOptional {
  static readonly none = new CelOptional(undefined);
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A type as a value, as `type(x)` yields it. */
export class CelTypeValue {
  readonly type: CelType;

  constructor(type: CelType) {
    this.type = type;
  }
}

/** A list; items are made when they are read. */
export abstract class CelList {
  abstract readonly size: number;
  /** `index` is within 0 … size-1. */
  abstract at(index: number): CelValue;
}

/** A map; values are made when they are read. */
export abstract class CelMap {
  abstract readonly size: number;
  /** `undefined` when there is no such key; 1, 1u and 1.0 are the same key. */
  abstract get(key: CelValue): CelValue | undefined;
  abstract keys(): readonly CelValue[];

  has(key: CelValue): boolean {
    return this.get(key) !== undefined;
  }

  /** One of the keys; `undefined`: it has none. */
  firstKey(): CelValue | undefined {
    return this.keys()[0];
  }
}

/** A value of a type that a library or an environment brings, such as an IP address, a quantity, or `variables`. */
export abstract class CelOpaque {
  abstract readonly type: CelType;
  /** What its cost is measured by; absent: 1. */
  readonly size?: number;
  /** Asked when this is the left operand, or the item of a list, that `other` is compared with. */
  abstract equals(other: CelValue): boolean | CelError;
  /** Whether `optional.ofNonZeroValue` takes it for nothing; absent: never. */
  isZero?(): boolean;
  /** A field of a value whose type declares fields; absent: it has none. Yields an error for a field it has not. */
  select?(field: string): CelResult;
}

/**
 * A CEL value. An int is a number within ±(2^53-1) and a bigint beyond, never the other way round; null is null, bytes are a Uint8Array.
 */
export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | CelUint
  | CelDouble
  | CelTimestamp
  | CelDuration
  | CelOptional
  | CelTypeValue
  | CelList
  | CelMap
  | CelOpaque;

/** An error of an evaluation, in cel-go's words. `&&`, `||` and comprehensions may absorb it. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** What an evaluation yields. */
export type CelResult = CelValue | CelError;
