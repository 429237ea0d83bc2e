import type { CelFault } from '../cel-program.ts';
import type { Call, Expression, ListExpression, MapExpression } from '../syntax/expression.ts';
import { isEquivalentType } from '../types/compare-cel-types.ts';
import { dynType, type CelType } from '../types/cel-type.ts';
import { formatCelType } from '../types/format-cel-type.ts';
import { CelError } from '../values/cel-value.ts';
import { unwrapOptional } from './check-optional.ts';
import type { CheckedExpression } from './checked-expression.ts';
import { FaultList } from './fault-list.ts';
import { validateFormat } from './validate-format.ts';
import { visitExpression } from './visit-expression.ts';

/** Faults of a checked expression that only its literals show: times and patterns that are none, mixed lists, wrong formats. */
export function validateLiterals(checked: CheckedExpression): readonly CelFault[] {
  const faults = new FaultList(checked.source);
  const calls: Call[] = [];
  const lists: ListExpression[] = [];
  const maps: MapExpression[] = [];
  visitExpression(checked.expression, (node, within) => {
    if (node.kind === 'call') calls.push(node);
    if (within.includes('format')) return;
    if (node.kind === 'list') lists.push(node);
    if (node.kind === 'map') maps.push(node);
  });
  for (const name of ['duration', 'timestamp', 'matches']) {
    for (const call of calls.filter((each) => each.name === name)) validateConstant(checked, call, faults);
  }
  for (const list of lists) validateItems(checked, list, faults);
  for (const map of maps) validateEntries(checked, map, faults);
  for (const call of calls) validateFormat(checked, call, faults);
  return faults.toSorted();
}

/** Calls a function of one constant now; for `matches` only the pattern counts, whatever it is matched with. */
function validateConstant(checked: CheckedExpression, call: Call, faults: FaultList): void {
  const [literal] = call.arguments;
  const reference = checked.references.get(call.id);
  if (literal?.kind !== 'literal' || reference?.kind !== 'call') return;
  const values = call.name === 'matches' ? ['', literal.value] : [literal.value];
  if (reference.overloads[0]?.call?.(...values) instanceof CelError) {
    faults.add(literal.at, `invalid ${call.name} argument`);
  }
}

function validateItems(checked: CheckedExpression, list: ListExpression, faults: FaultList): void {
  let first: CelType | undefined;
  for (const [index, item] of list.items.entries()) {
    const type = typeOfItem(checked, item, list.optionalIndices.includes(index));
    first ??= type;
    if (isEquivalentType(first, type)) continue;
    refuse(faults, item, first, type);
    return;
  }
}

function validateEntries(checked: CheckedExpression, map: MapExpression, faults: FaultList): void {
  const [head] = map.entries;
  if (head === undefined) return;
  const keys = typeOfItem(checked, head.key, false);
  const values = typeOfItem(checked, head.value, head.isOptional);
  for (const entry of map.entries) {
    const key = typeOfItem(checked, entry.key, false);
    if (!isEquivalentType(keys, key)) refuse(faults, entry.key, keys, key);
    const value = typeOfItem(checked, entry.value, entry.isOptional);
    if (!isEquivalentType(values, value)) refuse(faults, entry.value, values, value);
  }
}

function typeOfItem(checked: CheckedExpression, item: Expression, isOptional: boolean): CelType {
  const type = checked.types.get(item.id) ?? dynType;
  return isOptional ? (unwrapOptional(type) ?? dynType) : type;
}

function refuse(faults: FaultList, place: Expression, expected: CelType, actual: CelType): void {
  faults.add(place.at, `expected type '${formatCelType(expected)}' but found '${formatCelType(actual)}'`);
}
