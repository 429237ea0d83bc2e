import { ComparisonTooLong, countComparisons } from '../values/comparison-count.ts';
import type { CostMeter } from './cost-meter.ts';

/** A comparison of two values takes a quarter of a unit. */
const comparisonsPerUnit = 4;
const mostComparisons = 100_000_000;

/**
 * Does what compares values, of which lists and maps cost next to nothing however much is in them, and tells the meter; what takes longer
 * than a call may is given up as admitWork does.
 */
export function compareWithin<T>(meter: CostMeter, compare: () => T): T {
  const limit = Math.min(meter.maxCallUnits * comparisonsPerUnit, mostComparisons);
  const { result, count } = countOrRefuse(meter, limit, compare);
  meter.noteWork(count);
  return result;
}

function countOrRefuse<T>(meter: CostMeter, limit: number, compare: () => T): { result: T; count: number } {
  try {
    return countComparisons(limit, compare);
  } catch (error) {
    if (error instanceof ComparisonTooLong) meter.admitWork(Infinity);
    throw error;
  }
}
