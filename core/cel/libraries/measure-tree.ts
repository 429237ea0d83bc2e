import { CelList, CelMap, type CelResult, type CelValue } from '../values/cel-value.ts';
import { JsonList, JsonMap } from '../values/json-value.ts';

type Weigh = (leaf: CelResult) => number;

function isTree(value: CelResult): value is CelList | CelMap {
  return value instanceof CelList || value instanceof CelMap;
}

/** Adds up the leaves of trees; parts that are shared are walked once. */
class TreeSum {
  readonly #own: number;
  readonly #weigh: Weigh;
  readonly #sums = new Map<object, number>();

  constructor(own: number, weigh: Weigh) {
    this.#own = own;
    this.#weigh = weigh;
  }

  /** The sum of a value, or something greater than `limit`. */
  add(value: CelResult, limit: number): number {
    if (!isTree(value)) return this.#weigh(value);
    const isJson = value instanceof JsonList || value instanceof JsonMap;
    // Each look at a part of an object wraps it anew.
    const identity = isJson ? value.json : value;
    const known = this.#sums.get(identity);
    if (known !== undefined) return known;
    const sum = isJson
      ? this.#addJson(value.json, limit)
      : value instanceof CelList
        ? this.#addList(value, limit)
        : this.#addMap(value, limit);
    this.#sums.set(identity, sum);
    return sum;
  }

  #addList(list: CelList, limit: number): number {
    let sum = this.#own;
    for (let i = 0; i < list.size && sum <= limit; i++) sum += this.add(list.at(i), limit - sum);
    return sum;
  }

  #addMap(map: CelMap, limit: number): number {
    let sum = this.#own;
    for (const key of map.keys()) {
      sum += this.add(key, limit - sum);
      if (sum <= limit) sum += this.add(map.get(key) ?? null, limit - sum);
      if (sum > limit) break;
    }
    return sum;
  }

  /** JSON is not wrapped for this: that takes many times as long. */
  #addJson(json: unknown, limit: number): number {
    if (typeof json !== 'object' || json === null) return this.#weigh(json as CelResult);
    let sum = this.#own;
    if (Array.isArray(json)) {
      for (let i = 0; i < json.length && sum <= limit; i++) sum += this.#addJson(json[i], limit - sum);
      return sum;
    }
    const prototype: unknown = Object.getPrototypeOf(json);
    if (prototype !== Object.prototype && prototype !== null) return this.add(json as CelResult, limit);
    for (const [key, item] of Object.entries(json)) {
      if (sum > limit) break;
      if (item !== undefined) sum += this.#weigh(key) + this.#addJson(item, limit - sum);
    }
    return sum;
  }
}

/**
 * Adds up what `weigh` gives for each value in `value` that is neither list nor map; `own` is added for each list or map. A part that is
 * shared counts each time it is there, but is walked once: `[x, x]` of `[x, x]` … is soon greater than what can be walked. Beyond `limit`
 * nothing more is counted.
 */
export function sumTree(value: CelResult, own: number, weigh: Weigh, limit = Infinity): number {
  return isTree(value) ? new TreeSum(own, weigh).add(value, limit) : weigh(value);
}

/** How many values there are in a value, itself included: what a walk through it, such as a comparison, takes. Counts no further than `limit`. */
export function measureTree(value: CelResult, limit = Infinity): number {
  return sumTree(value, 1, () => 1, limit);
}

/** The work of a call that walks through its first argument. */
export function measureFirst([first]: readonly CelValue[], limit: number): number {
  return isTree(first ?? null) ? measureTree(first ?? null, limit) : 0;
}
