import { gen, integer, noBias } from 'fast-check';
import type { Arbitrary } from 'fast-check';

const steps = 2 ** 30;

/** Draws chances one after the other; the same ones in a run that begins with the same seed. */
export class Draw {
  /** A number in [0, 1). */
  readonly next: () => number;

  constructor(next: () => number) {
    this.next = next;
  }

  /** A whole number from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of a list; throws when it is empty. */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('there is nothing to pick from');
    return list[this.below(list.length)] as T;
  }
}

/** What `make` draws, as an arbitrary of fast-check. */
export function drawn<T>(make: (draw: Draw) => T): Arbitrary<T> {
  const unit = noBias(integer({ min: 0, max: steps - 1 }));
  return gen().map((generate) => make(new Draw(() => generate(() => unit) / steps)));
}
