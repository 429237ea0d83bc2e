import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isZeroQuantity,
  type Quantity,
  quantityFromInteger,
  readQuantity,
  signOfQuantity,
  subtractQuantities,
} from '../../../core/quantity/quantity.ts';
import { setOwn } from '../../../core/meta/json.ts';
import type { ResourceList } from '../resource-lists.ts';

/** Amounts by the names that a quota gives to resources, such as `pods` or `requests.cpu`. Immutable. */
export type Usage = ReadonlyMap<string, Quantity>;

const ZERO = quantityFromInteger(0);

/** The amounts of a stored list; absent means none. */
export function readUsage(list: ResourceList | undefined): Usage {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, readQuantity(text)]));
}

/** The amounts as a list to store, in the order of the names. */
export function writeUsage(usage: Usage): ResourceList {
  const list: ResourceList = {};
  for (const name of [...usage.keys()].toSorted()) setOwn(list, name, formatQuantity(usage.get(name) ?? ZERO));
  return list;
}

/** Sums of every resource in either. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = new Map(a);
  for (const [name, amount] of b) {
    const present = sum.get(name);
    sum.set(name, present === undefined ? amount : addQuantities(present, amount));
  }
  return sum;
}

/** What `a` has beyond `b`, resource by resource, never below zero. */
export function exceedUsage(a: Usage, b: Usage): Usage {
  const rest = new Map<string, Quantity>();
  for (const [name, amount] of a) {
    const difference = subtractQuantities(amount, b.get(name) ?? ZERO);
    if (signOfQuantity(difference) > 0) rest.set(name, difference);
  }
  return rest;
}

/** The greater amount of every resource in either. */
export function maximizeUsage(a: Usage, b: Usage): Usage {
  const greatest = new Map(a);
  for (const [name, amount] of b) {
    const present = greatest.get(name);
    if (present === undefined || compareQuantities(amount, present) > 0) greatest.set(name, amount);
  }
  return greatest;
}

/** Only the named resources. */
export function maskUsage(usage: Usage, names: Iterable<string>): Usage {
  const kept = new Set(names);
  return new Map([...usage].filter(([name]) => kept.has(name)));
}

/** Only what is not zero. */
export function removeZeros(usage: Usage): Usage {
  return new Map([...usage].filter(([, amount]) => !isZeroQuantity(amount)));
}

/** Whether both name the same resources in the same amounts, whatever their notation. */
export function equalUsage(a: Usage, b: Usage): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([name, amount]) => {
    const other = b.get(name);
    return other !== undefined && compareQuantities(amount, other) === 0;
  });
}

/** `cpu=1,pods=2`, ordered by name, as Kubernetes words refusals. */
export function formatUsage(usage: Usage): string {
  return Object.entries(writeUsage(usage))
    .map(([name, amount]) => `${name}=${amount}`)
    .join(',');
}
