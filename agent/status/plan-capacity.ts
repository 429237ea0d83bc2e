import { quoteGo } from '../../core/errors/quote-go.ts';
import {
  addQuantities,
  formatQuantity,
  isQuantityFault,
  isZeroQuantity,
  parseQuantity,
  quantityFromInteger,
  quantityFromMilli,
  signOfQuantity,
  subtractQuantities,
  type Quantity,
} from '../../core/quantity/quantity.ts';
import type { ResourceAmounts } from './agent-node.ts';
import { resolveThreshold, type Threshold } from './plan-thresholds.ts';
import type { Machine } from './read-machine.ts';

/** What capacity is made of. */
export interface CapacityFacts {
  readonly machine: Pick<Machine, 'cpuCount' | 'memoryBytes' | 'hugePages'>;
  /** All of the file system of the agent's files; `undefined` when that cannot be told. */
  readonly storageBytes: number | undefined;
  readonly maxPods: number;
  /** 0: only `maxPods` limits. */
  readonly podsPerCore: number;
  /** What is kept from pods, by resource, in every respect but pressure. */
  readonly reserved: readonly Readonly<Record<string, string>>[];
  readonly thresholds: readonly Threshold[];
}

/** What a node has, and what of it pods may have. */
export interface CapacityPlan {
  readonly capacity: ResourceAmounts;
  readonly allocatable: ResourceAmounts;
}

const hugePagesPrefix = 'hugepages-';
const reservable = ['cpu', 'memory', 'ephemeral-storage', 'pid'];
const thresholdOf = { memory: 'memory.available', 'ephemeral-storage': 'nodefs.available' } as const;

/** What is wrong with amounts to be kept from pods, worded as the kubelet words it; empty when nothing is. */
export function checkReserved(reserved: Readonly<Record<string, string>>): { resource: string; message: string }[] {
  return Object.entries(reserved).flatMap(([resource, text]) => {
    if (!reservable.includes(resource)) return [{ resource, message: `cannot reserve ${quoteGo(resource)} resource` }];
    const quantity = parseQuantity(text);
    if (isQuantityFault(quantity)) {
      const message = `failed to parse quantity ${quoteGo(text)} for ${quoteGo(resource)} resource: ${quantity.fault}`;
      return [{ resource, message }];
    }
    const message = `resource quantity for ${quoteGo(resource)} cannot be negative: ${formatQuantity(quantity)}`;
    return signOfQuantity(quantity) < 0 ? [{ resource, message }] : [];
  });
}

function bytes(count: number): Quantity {
  return quantityFromInteger(count, 'BinarySI');
}

function listCapacity(facts: CapacityFacts): Map<string, Quantity> {
  const { machine, maxPods, podsPerCore, storageBytes } = facts;
  const { cpuCount = 0, memoryBytes = 0 } = machine;
  const capacity = new Map([
    ['cpu', quantityFromMilli(cpuCount * 1000)],
    ['memory', bytes(memoryBytes)],
  ]);
  for (const { pageBytes, totalBytes } of machine.hugePages) {
    capacity.set(`${hugePagesPrefix}${formatQuantity(bytes(pageBytes))}`, bytes(totalBytes));
  }
  const pods = podsPerCore > 0 ? Math.min(cpuCount * podsPerCore, maxPods) : maxPods;
  capacity.set('pods', quantityFromInteger(pods));
  if (storageBytes !== undefined) capacity.set('ephemeral-storage', bytes(storageBytes));
  return capacity;
}

/** What is kept from pods: what is reserved, and what must be left lest the node come under pressure. */
function sumReserved(resource: string, capacity: Quantity, facts: CapacityFacts): Quantity {
  let sum = quantityFromInteger(0);
  for (const reserved of facts.reserved) {
    const quantity = Object.hasOwn(reserved, resource) ? parseQuantity(reserved[resource] as string) : undefined;
    if (quantity !== undefined && !isQuantityFault(quantity)) sum = addQuantities(sum, quantity);
  }
  const signal = Object.hasOwn(thresholdOf, resource) ? thresholdOf[resource as keyof typeof thresholdOf] : undefined;
  const threshold = facts.thresholds.find((candidate) => candidate.signal === signal);
  return threshold === undefined ? sum : addQuantities(sum, resolveThreshold(threshold.value, capacity));
}

function subtractDownToZero(from: Quantity, what: Quantity): Quantity {
  const rest = isZeroQuantity(what) ? from : subtractQuantities(from, what);
  return signOfQuantity(rest) < 0 ? quantityFromInteger(0, from.format) : rest;
}

/** What a node has, and what of it pods may have; what could not be measured is 0, or absent where the kubelet leaves it out. */
export function planCapacity(facts: CapacityFacts): CapacityPlan {
  const capacity = listCapacity(facts);
  const allocatable = new Map<string, Quantity>();
  for (const [resource, amount] of capacity) {
    allocatable.set(resource, subtractDownToZero(amount, sumReserved(resource, amount, facts)));
  }
  for (const [resource, amount] of capacity) {
    const memory = allocatable.get('memory');
    if (memory === undefined || !resource.startsWith(hugePagesPrefix)) continue;
    allocatable.set('memory', subtractDownToZero(memory, amount));
  }
  const format = (amounts: ReadonlyMap<string, Quantity>): ResourceAmounts =>
    Object.fromEntries([...amounts].map(([resource, amount]) => [resource, formatQuantity(amount)]));
  return { capacity: format(capacity), allocatable: format(allocatable) };
}
