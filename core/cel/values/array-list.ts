import { CelList, type CelValue } from './cel-value.ts';

/** A list over an array, which nobody changes afterwards. */
export class ArrayList extends CelList {
  readonly items: readonly CelValue[];

  constructor(items: readonly CelValue[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): CelValue {
    return this.items[index]!;
  }
}

/** Two lists, one after the other; nothing is copied. */
export class ConcatenatedList extends CelList {
  readonly size: number;
  readonly #first: CelList;
  readonly #second: CelList;

  constructor(first: CelList, second: CelList) {
    super();
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }

  at(index: number): CelValue {
    const offset = index - this.#first.size;
    return offset < 0 ? this.#first.at(index) : this.#second.at(offset);
  }
}

/** The list that a comprehension gathers; only its comprehension may add to it. */
export class GatheredList extends CelList {
  readonly items: CelValue[] = [];

  get size(): number {
    return this.items.length;
  }

  at(index: number): CelValue {
    return this.items[index]!;
  }

  /** Appends the items of a list. */
  add(other: CelList): void {
    const size = other.size;
    for (let index = 0; index < size; index++) this.items.push(other.at(index));
  }
}

/** The items of a list as an array. */
export function toItems(list: CelList): readonly CelValue[] {
  if (list instanceof ArrayList || list instanceof GatheredList) return list.items;
  return Array.from({ length: list.size }, (_, index) => list.at(index));
}
