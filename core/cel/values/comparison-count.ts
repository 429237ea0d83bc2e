/** Thrown when a comparison has looked at more values than it may. */
export class ComparisonTooLong extends Error {
  override readonly name = 'ComparisonTooLong';
}

/** How many values comparisons have looked at, and at which number they end. */
const counted = { values: 0, limit: Infinity };

/** Says that a comparison looks at one more value, or takes as long as so many; throws ComparisonTooLong. */
export function countComparison(values = 1): void {
  counted.values += values;
  if (counted.values > counted.limit) throw new ComparisonTooLong();
}

/** Does what compares values, and tells how many it looked at; throws ComparisonTooLong when they are more than `limit`. */
export function countComparisons<T>(limit: number, compare: () => T): { readonly result: T; readonly count: number } {
  const before = counted.values;
  counted.limit = before + limit;
  try {
    const result = compare();
    return { result, count: counted.values - before };
  } finally {
    counted.limit = Infinity;
  }
}
