import type { CelResult, CelValue } from '../../values/cel-value.ts';
import { sumTree } from '../measure-tree.ts';

const workPerValue = 10;

function estimateValue(value: CelResult): number {
  return workPerValue + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0);
}

/** An upper bound of the time that `format` takes for these arguments, in units of 100 ns, or something greater than `limit`. */
export function estimateFormat(values: readonly CelValue[], limit: number): number {
  let work = 0;
  for (const value of values) work += sumTree(value, workPerValue, estimateValue, limit - work);
  return work;
}
