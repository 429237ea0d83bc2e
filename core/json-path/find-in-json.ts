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
    const found = followStep(step, current, budget);
    budget.left -= found.values.length + 1;
    if (found.isWrong || budget.left < 0) return { values: found.values, isWrong: true };
    current = found.values;
  }
  return { values: current, isWrong: false };
}

function right(values: readonly JsonValue[]): Found {
  return { values, isWrong: false };
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
      return right(input.flatMap(listParts));
    case 'descent':
      return descend(input, budget);
    case 'slice':
      return takeSlice(step, input);
    case 'union': {
      const found = step.paths.map((path) => followPath(path, input, budget));
      const isWrong = found.some((one) => one.isWrong);
      return isWrong ? { values: input, isWrong } : right(found.flatMap((one) => one.values));
    }
    case 'filter':
      return filterItems(step, input, budget);
    case 'literal':
      return right(step.isPerInput ? input.map(() => step.value) : [step.value]);
    default:
      return { values: input, isWrong: true };
  }
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
    budget.left -= parts.length;
    if (budget.left < 0) return { values: input, isWrong: true };
    for (let i = parts.length - 1; i >= 0; i--) pending.push(parts[i] as JsonValue);
  }
  return right(values);
}

function takeSlice(step: JsonPathStep & { readonly step: 'slice' }, input: readonly JsonValue[]): Found {
  const values: JsonValue[] = [];
  for (const value of input) {
    if (value === null) continue;
    if (!Array.isArray(value)) return { values: input, isWrong: true };
    const { length } = value;
    let from = step.from ?? 0;
    let to = step.to ?? length;
    if (from < 0) from += length;
    if (to < 0 || (to === 0 && step.derived)) to += length;
    if (from === to) return right(values);
    const isOutside = from >= length || from < 0 || to > length || to < 0 || from > to;
    const stride = step.stride ?? 1;
    if (isOutside || stride <= 0) return { values: input, isWrong: true };
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
    if (!Array.isArray(list)) return { values: input, isWrong: true };
    for (const item of list) {
      const left = followPath(step.left, [item], budget);
      if (step.operator === 'exists') {
        if (left.values.length > 0) values.push(item);
        continue;
      }
      if (left.isWrong) return { values: input, isWrong: true };
      if (left.values.length === 0) continue;
      const other = followPath(step.right, [item], budget);
      if (left.values.length > 1 || other.isWrong || other.values.length > 1) return { values: input, isWrong: true };
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
