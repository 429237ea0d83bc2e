import { getOwn, setOwn } from '../../core/meta/json.ts';
import { formatQuantity, readQuantity, roundUpQuantity } from '../../core/quantity/quantity.ts';

/** Amounts by resource name, in canonical text. */
export type ResourceList = Record<string, string>;

const MILLI_SCALE = -3;

/** Rounds every amount up to a thousandth, in place. */
export function roundResourceList(list: ResourceList | undefined): void {
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = readQuantity(text);
    const rounded = roundUpQuantity(quantity, MILLI_SCALE);
    if (rounded !== quantity) setOwn(list as ResourceList, name, formatQuantity(rounded));
  }
}

/** Names of the resources, sorted; faults are reported in this order. */
export function listResourceNames(list: ResourceList | undefined): string[] {
  return Object.keys(list ?? {}).sort();
}

/** The amount of one resource; `undefined` when the list has none. */
export function readAmount(list: ResourceList | undefined, name: string): string | undefined {
  return list === undefined ? undefined : (getOwn(list, name) as string | undefined);
}
