import type { CelResult } from '../values/cel-value.ts';
import { countCodePoints } from '../values/measure-size.ts';
import type { Summand } from './call-plan.ts';
import type { Evaluate, Frame } from './frame.ts';
import { applyOperator } from './plan-operator.ts';

const traversalFactor = 0.1;

/**
 * `a + b + c` of texts: each is measured once, though each sum costs its whole length. Operands that are no texts are added as they are.
 */
export function planConcatenation(first: Evaluate, summands: readonly Summand[]): Evaluate {
  return (frame) => {
    let sum = first(frame);
    let size = typeof sum === 'string' ? countCodePoints(sum) : -1;
    for (const summand of summands) {
      const value = summand.evaluate(frame);
      if (size >= 0 && typeof value === 'string' && typeof sum === 'string') {
        size += countCodePoints(value);
        sum += value;
        frame.meter.charge(summand.cost === undefined ? 1 : Math.ceil(size * traversalFactor));
      } else {
        sum = addOne(sum, value, frame, summand);
        size = -1;
      }
    }
    return sum;
  };
}

function addOne(sum: CelResult, value: CelResult, frame: Frame, { call, cost }: Summand): CelResult {
  const result = applyOperator(call, sum, value, frame.meter);
  frame.meter.charge(cost === undefined ? 1 : cost([sum, value], result));
  return result;
}
