import { formatDouble } from '../../../../core/cel/values/format-double.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import type { SchemaFault } from './schema-result.ts';

const maxExactInteger = 2 ** 53 - 1;
const epsilon = 1e-9;

/** Whether a number of a document is an integer to Go: one that fits 64 bits. */
export function isGoInteger(value: number | bigint): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value;
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** A double without its fraction as 64 bits; what they do not hold becomes the least of them. */
function toInt64(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : -(2n ** 63n);
}

/** A number as Go prints it. */
function format(value: number | bigint): string {
  return typeof value === 'bigint' ? String(value) : formatDouble(value);
}

/** What is wrong with a number: no multiple, too small, too great; at most one of each, in this order. */
export function validateNumber(name: string, value: number | bigint, schema: JsonSchemaProps): SchemaFault[] {
  const isInteger = isGoInteger(value);
  // An integer is compared with what Go's conversion leaves of a bound.
  const bound = (limit: number): number | bigint => (isInteger ? toInt64(limit) : limit);
  const faults: SchemaFault[] = [];
  const fail = (rule: string): void => {
    faults.push({ kind: 'other', name, value, message: `${name} in body should be ${rule}` });
  };
  const { multipleOf, maximum, minimum } = schema;
  if (multipleOf !== undefined) {
    const factor = bound(multipleOf);
    if (factor <= 0) {
      const message = `factor MultipleOf declared for ${name} must be positive: ${format(factor)}`;
      faults.push({ kind: 'other', name, value: factor, message });
    } else if (isInteger ? BigInt(value) % BigInt(factor) !== 0n : !isMultiple(Number(value), Number(factor))) {
      fail(`a multiple of ${format(factor)}`);
    }
  }
  if (minimum !== undefined) {
    const low = bound(minimum);
    if (schema.exclusiveMinimum === true && value <= low) fail(`greater than ${format(low)}`);
    else if (schema.exclusiveMinimum !== true && value < low) fail(`greater than or equal to ${format(low)}`);
  }
  if (maximum !== undefined) {
    const high = bound(maximum);
    if (schema.exclusiveMaximum === true && value >= high) fail(`less than ${format(high)}`);
    else if (schema.exclusiveMaximum !== true && value > high) fail(`less than or equal to ${format(high)}`);
  }
  return faults;
}

function isMultiple(value: number, factor: number): boolean {
  return isNearInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/** Whether a double is an integer but for what its computation lost, as Go's validation sees it. */
export function isNearInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > maxExactInteger) return false;
  const whole = Math.trunc(value);
  if (value === whole) return true;
  // What Go allows for is allowed for with positive quotients only.
  if (whole <= 0) return false;
  const sum = Math.min(Math.abs(value) + Math.abs(whole), Number.MAX_VALUE);
  return Math.abs(value - whole) / sum < epsilon;
}
