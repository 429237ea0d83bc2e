import type { LabelSelector } from '../../core/selectors/label-selector.ts';
import type { SelectorRequirement } from './webhook-configuration.ts';

/** Which states of one label are let through: being absent, and values: those named, or all but those. */
interface LabelStates {
  readonly absent: boolean;
  readonly values: ReadonlySet<string>;
  readonly isAllBut: boolean;
}

type SelectorStates = ReadonlyMap<string, LabelStates>;

const anything: LabelStates = { absent: true, values: new Set(), isAllBut: true };
/** A longer list would make a configuration long. */
const maxValues = 500;

function readRequirement(operator: string, values: readonly string[]): LabelStates {
  switch (operator) {
    case 'In':
      return { absent: false, values: new Set(values), isAllBut: false };
    case 'NotIn':
      return { absent: true, values: new Set(values), isAllBut: true };
    case 'Exists':
      return { absent: false, values: new Set(), isAllBut: true };
    case 'DoesNotExist':
      return { absent: true, values: new Set(), isAllBut: false };
    default:
      return anything;
  }
}

function intersectValues(a: LabelStates, b: LabelStates): Pick<LabelStates, 'values' | 'isAllBut'> {
  if (a.isAllBut && b.isAllBut) return { values: a.values.union(b.values), isAllBut: true };
  if (a.isAllBut) return { values: b.values.difference(a.values), isAllBut: false };
  if (b.isAllBut) return { values: a.values.difference(b.values), isAllBut: false };
  return { values: a.values.intersection(b.values), isAllBut: false };
}

function uniteValues(a: LabelStates, b: LabelStates): Pick<LabelStates, 'values' | 'isAllBut'> {
  if (a.isAllBut && b.isAllBut) return { values: a.values.intersection(b.values), isAllBut: true };
  if (a.isAllBut) return { values: a.values.difference(b.values), isAllBut: true };
  if (b.isAllBut) return { values: b.values.difference(a.values), isAllBut: true };
  return { values: a.values.union(b.values), isAllBut: false };
}

/** What all of the selectors let through together. */
function readSelectors(selectors: readonly LabelSelector[]): SelectorStates {
  const states = new Map<string, LabelStates>();
  const demand = (key: string, demanded: LabelStates): void => {
    const known = states.get(key) ?? anything;
    states.set(key, { absent: known.absent && demanded.absent, ...intersectValues(known, demanded) });
  };
  for (const { matchLabels = {}, matchExpressions = [] } of selectors) {
    for (const [key, value] of Object.entries(matchLabels)) demand(key, readRequirement('In', [value]));
    for (const { key, operator, values = [] } of matchExpressions) demand(key, readRequirement(operator, values));
  }
  return states;
}

function unite(left: SelectorStates, right: SelectorStates): SelectorStates {
  const united = new Map<string, LabelStates>();
  for (const [key, a] of left) {
    const b = right.get(key);
    if (b !== undefined) united.set(key, { absent: a.absent || b.absent, ...uniteValues(a, b) });
  }
  return united;
}

function writeStates(key: string, { absent, values, isAllBut }: LabelStates): SelectorRequirement[] {
  const named = [...values].toSorted();
  if (isAllBut) {
    const without: SelectorRequirement[] =
      named.length === 0 || named.length > maxValues ? [] : [{ key, operator: 'NotIn', values: named }];
    return absent ? without : [{ key, operator: 'Exists' }, ...without];
  }
  if (named.length === 0) return absent ? [{ key, operator: 'DoesNotExist' }] : [];
  if (absent) return [];
  return named.length > maxValues ? [{ key, operator: 'Exists' }] : [{ key, operator: 'In', values: named }];
}

/**
 * The narrowest single selector that lets through whatever one of the alternatives does; each alternative is selectors that must all hold.
 * Empty when nothing can be left out. Where alternatives differ it lets through more than they do together.
 */
export function findCommonSelector(alternatives: readonly (readonly LabelSelector[])[]): SelectorRequirement[] {
  const [first, ...others] = alternatives.map(readSelectors);
  if (first === undefined) return [];
  const common = others.reduce(unite, first);
  return [...common]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([key, states]) => writeStates(key, states));
}
