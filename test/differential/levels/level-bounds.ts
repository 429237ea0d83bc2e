import type { DifferentialStep } from '../differential-case.ts';
import type { NormalAnswer } from '../normalize-answers.ts';
import type { AnswerPair, Json } from './change-body.ts';
import { isAcceptance } from './is-acceptance.ts';

const overflow = /cannot unmarshal number (-?\d+) into .* of type (u?int)(\d+)$/;
const convertedNumber = /: cannot convert float64 to (u?int)(\d+)$/;

/** What an integer becomes in a type of fewer bits; `undefined` where the type holds it. */
function wrap(number: bigint, isUnsigned: boolean, bits: number): bigint | undefined {
  const wrapped = isUnsigned ? BigInt.asUintN(bits, number) : BigInt.asIntN(bits, number);
  return wrapped === number ? undefined : wrapped;
}

/** Whether Kubernetes took the number for what is left of it: it stored that, or finds fault with the object. */
function tookWrapped({ status, body }: NormalAnswer, number: bigint, type: string, bits: number): boolean {
  const wrapped = wrap(number, type === 'uint', bits);
  if (wrapped === undefined) return false;
  // Such a number is a float before, and how one is cut depends on the processor.
  if (bits === 64) return status < 300;
  if (status < 300) return wrapped === 0n || JSON.stringify(body).includes(`:${wrapped}`);
  const causes: Json[] = body?.details?.causes ?? [];
  // It could read the patch, then.
  return status === 422 && causes.length > 0 && causes.every(({ field }) => field !== 'patch');
}

function listIntegers(value: unknown): bigint[] {
  if (typeof value === 'number') return Number.isInteger(value) ? [BigInt(value)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listIntegers) : [];
}

/** Whether ours refuses, and for nothing else, a number that Kubernetes wrapped around. */
function isWrapped([real, ours]: AnswerPair, { headers, body }: DifferentialStep): boolean {
  const type = headers?.['content-type'] ?? '';
  const causes: Json[] = ours.body?.details?.causes ?? [];
  if (type.includes('strategic') && ours.status === 422 && causes.length === 1 && causes[0].field === 'patch') {
    const [, number, name = '', bits] = overflow.exec(causes[0].message) ?? [];
    return number !== undefined && tookWrapped(real, BigInt(number), name, Number(bits));
  }
  if (!type.includes('apply') || ours.status !== 400) return false;
  const [, name, bits] = convertedNumber.exec(ours.body?.message) ?? [];
  return name !== undefined && listIntegers(body).some((number) => tookWrapped(real, number, name, Number(bits)));
}

/** Whether an amount is refused as no integer since its thousandfold has more than 64 bits, and for nothing else. */
function isLargeAmount([real, ours]: AnswerPair): boolean {
  const causes: Json[] = real.body?.details?.causes ?? [];
  return (
    causes.length > 0 &&
    causes.every(({ message }) => /^Invalid value: "\d+E": must be an integer$/.test(message)) &&
    isAcceptance(ours, real)
  );
}

/** The same answer twice where numbers are beyond what Kubernetes can hold, or count. */
export function levelBounds(pair: AnswerPair, step: DifferentialStep): AnswerPair {
  return isWrapped(pair, step) || isLargeAmount(pair) ? [pair[0], pair[0]] : pair;
}
