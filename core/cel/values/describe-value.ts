import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from './cel-value.ts';
import { formatDouble } from './format-double.ts';
import { nameErasedType } from '../types/format-cel-type.ts';
import { nameRuntimeType } from './runtime-type.ts';
import { describeDuration, describeTimestamp } from './time-text.ts';

/** A value as errors show it: a text without quotes, a list in brackets. */
export function describeValue(value: CelValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '0';
  if (typeof value !== 'object') return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof CelTypeValue) return nameErasedType(value.type);
  if (value instanceof CelTimestamp) return describeTimestamp(value);
  if (value instanceof CelDuration) return describeDuration(value);
  if (value instanceof CelOptional) {
    return value.value === undefined ? 'optional.none()' : `optional(${describeValue(value.value)})`;
  }
  if (value instanceof CelList) {
    return `[${Array.from({ length: value.size }, (_, index) => describeValue(value.at(index))).join(', ')}]`;
  }
  if (value instanceof CelMap) {
    return `{${value
      .keys()
      .map((key) => `${describeValue(key)}: ${describeValue(value.get(key)!)}`)
      .join(', ')}}`;
  }
  return value instanceof Uint8Array ? `[${value.join(' ')}]` : nameRuntimeType(value);
}
