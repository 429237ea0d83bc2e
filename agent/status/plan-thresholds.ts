import {
  formatQuantity,
  isQuantityFault,
  isZeroQuantity,
  parseQuantity,
  quantityFromInteger,
  quantityToInteger,
  signOfQuantity,
  type Quantity,
} from '../../core/quantity/quantity.ts';
import { quoteGo } from '../../core/errors/quote-go.ts';

/** Conditions that thresholds bring about. */
export type PressureType = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

const pressureOf = {
  'memory.available': 'MemoryPressure',
  'allocatableMemory.available': 'MemoryPressure',
  'nodefs.available': 'DiskPressure',
  'nodefs.inodesFree': 'DiskPressure',
  'imagefs.available': 'DiskPressure',
  'imagefs.inodesFree': 'DiskPressure',
  'containerfs.available': 'DiskPressure',
  'containerfs.inodesFree': 'DiskPressure',
  'pid.available': 'PIDPressure',
} as const satisfies Record<string, PressureType>;

/** What thresholds are about. */
export type Signal = keyof typeof pressureOf;

/** How little of something may be left: an amount, or a part of all there is. */
export type ThresholdValue = { readonly quantity: Quantity } | { readonly part: number };

/** A threshold: below it, a node is under pressure. */
export interface Threshold {
  readonly signal: Signal;
  readonly value: ThresholdValue;
}

/** Thresholds that are in force, and what is wrong with the others. */
export interface ThresholdPlan {
  readonly thresholds: readonly Threshold[];
  readonly faults: readonly { readonly signal: string; readonly message: string }[];
}

/** The condition that a signal's threshold brings about. */
export function pressureOfSignal(signal: Signal): PressureType {
  return pressureOf[signal];
}

/** The amount that a threshold stands for where there is `capacity` of it. */
export function resolveThreshold(value: ThresholdValue, capacity: Quantity): Quantity {
  if ('quantity' in value) return value.quantity;
  return quantityFromInteger(Math.trunc(Number(quantityToInteger(capacity)) * value.part), 'BinarySI');
}

function isSignal(text: string): text is Signal {
  return Object.hasOwn(pressureOf, text);
}

/** Kubernetes keeps parts as 32-bit floats, and its amounts show it. */
function parsePart(signal: Signal, text: string): number | string {
  const number = text.replace(/%+$/, '');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(number)) {
    return `strconv.ParseFloat: parsing ${quoteGo(number)}: invalid syntax`;
  }
  const part = Math.fround(Math.fround(Number(number)) / 100);
  if (part < 0) return `eviction percentage threshold ${signal} must be >= 0%: ${text}`;
  if (part > 1) return `eviction percentage threshold ${signal} must be <= 100%: ${text}`;
  return part;
}

/** The value of a signal's threshold; a text says what is wrong with it, `undefined` that it turns the signal off. */
function parseValue(signal: Signal, text: string): ThresholdValue | string | undefined {
  if (text.endsWith('%')) {
    if (text === '0%' || text === '100%') return undefined;
    const part = parsePart(signal, text);
    return typeof part === 'string' ? part : { part };
  }
  const quantity = parseQuantity(text);
  if (isQuantityFault(quantity)) return quantity.fault;
  if (signOfQuantity(quantity) < 0 || isZeroQuantity(quantity)) {
    return `eviction threshold ${signal} must be positive: ${formatQuantity(quantity)}`;
  }
  return { quantity };
}

/** Reads thresholds as they are configured; what is wrong is worded as the kubelet words it. */
export function planThresholds(configured: Readonly<Record<string, string>>): ThresholdPlan {
  const thresholds: Threshold[] = [];
  const faults: { signal: string; message: string }[] = [];
  for (const [signal, text] of Object.entries(configured)) {
    if (!isSignal(signal)) {
      faults.push({ signal, message: `unsupported eviction signal ${signal}` });
      continue;
    }
    const value = parseValue(signal, text);
    if (typeof value === 'string') faults.push({ signal, message: value });
    else if (value !== undefined) thresholds.push({ signal, value });
  }
  return { thresholds, faults };
}

/**
 * Thresholds with those of what containers write, which nobody sets: they are those of the file system that this is on, the images' own
 * or the node's.
 */
export function completeThresholds(thresholds: readonly Threshold[], isOnImageFs: boolean): readonly Threshold[] {
  const others = thresholds.filter(({ signal }) => !signal.startsWith('containerfs.'));
  const from = isOnImageFs ? 'imagefs.' : 'nodefs.';
  const derived = others.flatMap(({ signal, value }) =>
    signal.startsWith(from) ? [{ signal: signal.replace(from, 'containerfs.') as Signal, value }] : [],
  );
  return [...others, ...derived];
}
