import type { DifferentialStep } from '../differential-case.ts';
import type { NormalAnswer } from '../normalize-answers.ts';
import type { AnswerPair, Json } from './change-body.ts';

const overflow = /cannot unmarshal number -?\d+ into .* of type u?int\d+$/;

const convertedNumber = /: cannot convert float64 to u?int\d+$/;

/** Whether an amount is refused as no integer since its thousandfold has more than 64 bits, and for nothing else. */
function isLargeAmount({ body }: NormalAnswer): boolean {
  const causes: Json[] = body?.details?.causes ?? [];
  return (
    causes.length > 0 && causes.every(({ message }) => /^Invalid value: "\d+E": must be an integer$/.test(message))
  );
}

/** The same answer twice where numbers are beyond what Kubernetes can hold, or count. */
export function levelBounds([real, ours]: AnswerPair, { headers }: DifferentialStep): AnswerPair {
  const causes: Json[] = ours.body?.details?.causes ?? [];
  const isStrategic = headers?.['content-type']?.includes('strategic') === true;
  const isOverflow = causes.some(({ field, message }) => field === 'patch' && overflow.test(message));
  const isApplied = headers?.['content-type']?.includes('apply') === true && ours.status === 400;
  const isConverted = isApplied && convertedNumber.test(ours.body?.message);
  return (isStrategic && isOverflow) || isConverted || isLargeAmount(real) ? [real, real] : [real, ours];
}
