import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  stringType,
  timestampType,
  uintType,
} from '../../types/cel-type.ts';
import { CelDouble, CelDuration, CelTimestamp, CelUint, type CelValue } from '../../values/cel-value.ts';

/** Types with an order, by the names that the ids of their overloads have, in cel-go's order. */
export const comparableTypes: readonly (readonly [name: string, type: CelType])[] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];

/** Whether a value's type has an order. */
export function isComparable(value: CelValue): boolean {
  switch (typeof value) {
    case 'number':
    case 'bigint':
    case 'string':
    case 'boolean':
      return true;
    default:
      return (
        value instanceof CelUint ||
        value instanceof CelDouble ||
        value instanceof CelDuration ||
        value instanceof CelTimestamp ||
        value instanceof Uint8Array
      );
  }
}
