import { isJsonObject, getOwn, type JsonValue } from '../meta/json.ts';
import type { JsonPath, JsonPathStep } from './json-path.ts';

/** All values that a path finds in a document, in order; `undefined` when the path cannot be followed there. */
export function findInJson(path: JsonPath, document: JsonValue): readonly JsonValue[] | undefined {
  const found = followPath(path.steps, [document], { left: maxVisits });
  return found.isWrong ? undefined : found.values;
}

/** Values that one evaluation looks at; what needs more cannot be followed. */
const maxVisits = 200_000;

interface Budget {
  left: number;
}

/** What a step found; when it went wrong, what it was given. */
interface Found {
  readonly values: readonly JsonValue[];
  readonly isWrong: boolean;
}

function followPath(steps: readonly JsonPathStep[], values: readonly JsonValue[], budget: Budget): Found {
  let current: readonly JsonValue[] = values;
  for (const step of steps) {
    const found = spend(budget, current.length + 1) ? followStep(step, current, budget) : wrong(current);
    if (found.isWrong) return found;
    current = found.values;
  }
  return { values: current, isWrong: false };
}

/** Whether that many values may still be looked at. */
function spend(budget: Budget, count: number): boolean {
  budget.left -= count;
  return budget.left >= 0;
}

function right(values: readonly JsonValue[]): Found {
  return { values, isWrong: false };
}

function wrong(input: readonly JsonValue[]): Found {
  return { values: input, isWrong: true };
}

function followStep(step: JsonPathStep, input: readonly JsonValue[], budget: Budget): Found {
  switch (step.step) {
    case 'field':
      return right(
        input.flatMap((value) => {
          const member = isJsonObject(value) ? getOwn(value, step.name) : undefined;
          return member === undefined ? [] : [member];
        }),
      );
    case 'wildcard':
      return followWildcard(input, budget);
    case 'descent':
      return descend(input, budget);
    case 'slice':
      return takeSlice(step, input, budget);
    case 'union':
      return followUnion(step, input, budget);
    case 'filter':
      return filterItems(step, input, budget);
    case 'literal':
      return right(step.isPerInput ? input.map(() => step.value) : [step.value]);
    default:
      return wrong(input);
  }
}

function followWildcard(input: readonly JsonValue[], budget: Budget): Found {
  const values: JsonValue[] = [];
  for (const value of input) {
    const parts = listParts(value);
    if (!spend(budget, parts.length)) return wrong(input);
    for (const part of parts) values.push(part);
  }
  return right(values);
}

function followUnion(
  step: JsonPathStep & { readonly step: 'union' },
  input: readonly JsonValue[],
  budget: Budget,
): Found {
  const values: JsonValue[] = [];
  for (const path of step.paths) {
    const found = followPath(path, input, budget);
    if (found.isWrong) return wrong(input);
    for (const value of found.values) values.push(value);
  }
  return right(values);
}

function listParts(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value).filter((member) => member !== undefined) : [];
}

function descend(input: readonly JsonValue[], budget: Budget): Found {
  const values: JsonValue[] = [];
  const pending = [...input].reverse();
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const parts = listParts(value);
    if (parts.length === 0) continue;
    values.push(value);
    if (!spend(budget, parts.length)) return wrong(input);
    for (let i = parts.length - 1; i >= 0; i--) pending.push(parts[i] as JsonValue);
  }
  return right(values);
}

function takeSlice(
  step: JsonPathStep & { readonly step: 'slice' },
  input: readonly JsonValue[],
  budget: Budget,
): Found {
  const values: JsonValue[] = [];
  for (const value of input) {
    if (value === null) continue;
    if (!Array.isArray(value)) return wrong(input);
    const { length } = value;
    let from = step.from ?? 0;
    let to = step.to ?? length;
    if (from < 0) from += length;
    if (to < 0 || (to === 0 && step.derived)) to += length;
    if (from === to) return right(values);
    const isOutside = from >= length || from < 0 || to > length || to < 0 || from > to;
    const stride = step.stride ?? 1;
    if (isOutside || stride <= 0 || !spend(budget, Math.ceil((to - from) / stride))) return wrong(input);
    for (let i = from; i < to; i += stride) values.push(value[i] ?? null);
  }
  return right(values);
}

function filterItems(
  step: JsonPathStep & { readonly step: 'filter' },
  input: readonly JsonValue[],
  budget: Budget,
): Found {
  const values: JsonValue[] = [];
  for (const list of input) {
    if (!Array.isArray(list) || !spend(budget, list.length)) return wrong(input);
    for (const item of list) {
      const left = followPath(step.left, [item], budget);
      if (budget.left < 0) return wrong(input);
      if (step.operator === 'exists') {
        if (left.values.length > 0) values.push(item);
        continue;
      }
      if (left.isWrong) return wrong(input);
      if (left.values.length === 0) continue;
      const other = followPath(step.right, [item], budget);
      if (left.values.length > 1 || other.isWrong || other.values.length > 1) return wrong(input);
      if (other.values.length === 0) continue;
      const passes = compare(left.values[0] ?? null, step.operator, other.values[0] ?? null);
      if (passes === undefined) return { values, isWrong: true };
      if (passes) values.push(item);
    }
  }
  return right(values);
}

/** Go's kinds of basic values; an integer never compares with a fraction. */
function nameKind(value: JsonValue): 'bool' | 'string' | 'int' | 'float' | undefined {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case 'bigint':
      return 'int';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float';
    default:
      return undefined;
  }
}

/** `undefined` when the values cannot be compared so. */
function compare(left: JsonValue, operator: string, other: JsonValue): boolean | undefined {
  const kind = nameKind(left);
  if (kind === undefined || kind !== nameKind(other)) return undefined;
  if (left === null || other === null) return undefined;
  switch (operator) {
    case '==':
      return left === other;
    case '!=':
      return left !== other;
    case '<':
      return kind === 'bool' ? undefined : left < other;
    case '>':
      return kind === 'bool' ? undefined : left > other;
    case '<=':
      return kind === 'bool' ? undefined : left <= other;
    case '>=':
      return kind === 'bool' ? undefined : left >= other;
    default:
      return undefined;
  }
}
