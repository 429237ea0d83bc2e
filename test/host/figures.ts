/** The value below which the part `fraction` of the values lie (nearest rank); NaN of none. */
export function findPercentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? Number.NaN;
}

/** The middle value; NaN of none. */
export function findMedian(values: readonly number[]): number {
  return findPercentile(values, 0.5);
}
