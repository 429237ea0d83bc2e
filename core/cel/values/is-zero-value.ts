import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOpaque,
  CelTimestamp,
  CelUint,
  type CelValue,
} from './cel-value.ts';

const firstSecond = -62135596800;

/** Whether a value is the zero of its type: what `optional.ofNonZeroValue` takes for nothing. */
export function isZeroValue(value: CelValue): boolean {
  if (value === null || value === false || value === '' || value === 0) return true;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration) return value.nanos === 0n;
  if (value instanceof CelTimestamp) return value.seconds === firstSecond && value.nanos === 0;
  return value instanceof CelOpaque && (value.isZero?.() ?? false);
}
