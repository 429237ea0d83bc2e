import type { CheckedExpression } from '../check/checked-expression.ts';
import type { Call, Comprehension, Expression, ListExpression, MapExpression, Select } from '../syntax/expression.ts';
import type { CelType } from '../types/cel-type.ts';
import { CelTypeValue } from '../values/cel-value.ts';
import { estimateCall, type CallEstimates } from './estimate-call.ts';
import { addRanges, fixRange, maxUint64, multiplyRanges, uniteRanges, unknownRange, zeroRange } from './cost-range.ts';
import type { CostRange } from './cost-range.ts';
import { listCost, mapCost, messageCost, type CostNode, type SizeOfPath } from './cost-node.ts';
import { CostPath } from './cost-path.ts';
import { CostScopes, type EntrySizes } from './cost-scopes.ts';

/** Size that a union begins with: any other replaces it. */
const noSize: CostRange = { min: maxUint64, max: 0n };
const hiddenNames = new Set(['__result__', '@result']);

/**
 * What an expression costs at least and at most before anything is known of its variables but their sizes, as cel-go and Kubernetes
 * estimate it.
 */
export function estimateCost(checked: CheckedExpression, sizeOfPath: SizeOfPath): CostRange {
  return new CostEstimator(checked, sizeOfPath).cost(checked.expression);
}

class CostEstimator implements CallEstimates {
  readonly #checked: CheckedExpression;
  readonly sizeOfPath: SizeOfPath;
  readonly #paths = new Map<number, CostPath>();
  readonly #sizes = new Map<number, CostRange>();
  readonly #entrySizes = new Map<number, EntrySizes>();
  readonly #scopes = new CostScopes();

  constructor(checked: CheckedExpression, sizeOfPath: SizeOfPath) {
    this.#checked = checked;
    this.sizeOfPath = sizeOfPath;
  }

  cost(expression: Expression): CostRange {
    switch (expression.kind) {
      case 'literal':
        return zeroRange;
      case 'identifier':
        this.#paths.set(expression.id, this.#scopes.find(expression.name)?.path ?? CostPath.root(expression.name));
        return fixRange(1);
      case 'select':
        return this.#costSelect(expression);
      case 'call':
        return this.#costCall(expression);
      case 'list':
        return this.#costList(expression);
      case 'map':
        return this.#costMap(expression);
      case 'message':
        return addRanges(...expression.fields.map(({ value }) => this.cost(value)), fixRange(messageCost));
      default:
        return isBinding(expression) ? this.#costBinding(expression) : this.#costComprehension(expression);
    }
  }

  /** What is known of a part whose cost was estimated. */
  describe(expression: Expression): CostNode {
    const path = this.#pathOf(expression);
    const [root] = path.names;
    const type = this.#typeOf(expression);
    const size = this.computeSize(expression);
    return {
      expression,
      ...(root !== undefined && !hiddenNames.has(root) ? { path } : {}),
      ...(type && { type }),
      ...(size && { size }),
    };
  }

  computeSize(expression: Expression): CostRange | undefined {
    const known = this.#sizes.get(expression.id) ?? sizeOfLiteral(expression);
    if (known !== undefined) return known;
    const path = this.#pathOf(expression).names;
    const found = path.length === 0 ? undefined : this.sizeOfPath(path);
    if (found !== undefined) {
      this.#sizes.set(expression.id, found);
      return found;
    }
    if (isScalar(this.#typeOf(expression))) return fixRange(1);
    return expression.kind === 'identifier' ? this.#scopes.find(expression.name)?.size : undefined;
  }

  entrySizesOf(expression: Expression): EntrySizes | undefined {
    const known = this.#entrySizes.get(expression.id);
    if (known !== undefined || expression.kind !== 'identifier') return known;
    return this.#scopes.find(expression.name)?.entrySizes;
  }

  setEntrySizes(expression: Expression, sizes: EntrySizes | undefined): void {
    if (sizes !== undefined) this.#entrySizes.set(expression.id, sizes);
  }

  #setSize(expression: Expression, size: CostRange | undefined): void {
    if (size !== undefined) this.#sizes.set(expression.id, size);
  }

  #typeOf(expression: Expression): CelType | undefined {
    return this.#checked.types.get(expression.id);
  }

  #pathOf(expression: Expression): CostPath {
    const local = expression.kind === 'identifier' ? this.#scopes.find(expression.name) : undefined;
    return local?.path ?? this.#paths.get(expression.id) ?? CostPath.empty;
  }

  #costSelect(select: Select): CostRange {
    const operand = this.cost(select.operand);
    if (select.isTest) return operand;
    this.#paths.set(select.id, this.#pathOf(select.operand).append(select.field));
    const type = this.#typeOf(select.operand)?.kind;
    return type === 'map' || type === 'object' || type === 'parameter' ? addRanges(operand, fixRange(1)) : operand;
  }

  #costCall(call: Call): CostRange {
    const [first] = call.arguments;
    if (call.name === 'dyn' && first !== undefined) {
      const cost = addRanges(fixRange(1), this.cost(first));
      this.#copySizes(call, first);
      return cost;
    }
    const argumentCosts: CostRange[] = [];
    const nodes: CostNode[] = [];
    for (const argument of call.arguments) {
      argumentCosts.push(this.cost(argument));
      nodes.push(this.describe(argument));
    }
    const reference = this.#checked.references.get(call.id);
    const overloads = reference?.kind === 'call' ? reference.overloads.map(({ id }) => id) : [];
    if (overloads.length === 0) return zeroRange;
    const targetCost = call.target === undefined ? zeroRange : this.cost(call.target);
    const target = call.target === undefined ? undefined : this.describe(call.target);
    let cost = noSize;
    let resultSize: CostRange | undefined;
    for (const overload of overloads) {
      const parts = { name: call.name, overload, arguments: nodes, ...(target && { target }) };
      const estimate = estimateCall(call, { ...parts, sizeOfPath: this.sizeOfPath }, argumentCosts, this);
      cost = uniteRanges(cost, estimate.cost);
      const size = estimate.resultSize;
      if (size !== undefined) resultSize = resultSize === undefined ? size : uniteRanges(resultSize, size);
      const step = overload === 'index_list' ? '@items' : overload === 'index_map' ? '@values' : undefined;
      if (step !== undefined && first !== undefined) {
        resultSize = this.entrySizesOf(first)?.values;
        this.#paths.set(call.id, this.#pathOf(first).append(step));
      }
      resultSize ??= this.computeSize(call);
    }
    this.#setSize(call, resultSize);
    return addRanges(targetCost, cost);
  }

  #costList(list: ListExpression): CostRange {
    const costs = list.items.map((item) => this.cost(item));
    const values = this.#unite(list.items);
    this.setEntrySizes(list, { isList: true, keys: fixRange(1), values });
    return addRanges(...costs, fixRange(listCost));
  }

  #costMap({ id, entries, ...map }: MapExpression): CostRange {
    const costs = entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const keys = this.#unite(entries.map(({ key }) => key));
    const values = this.#unite(entries.map(({ value }) => value));
    this.setEntrySizes({ id, entries, ...map }, { isList: false, keys, values });
    return addRanges(...costs, fixRange(mapCost));
  }

  /** The size of any of some parts. */
  #unite(parts: readonly Expression[]): CostRange {
    if (parts.length === 0) return zeroRange;
    return parts.map((part) => this.computeSize(part) ?? unknownRange).reduce(uniteRanges, noSize);
  }

  #costBinding(binding: Comprehension): CostRange {
    const costs = [this.cost(binding.range), this.cost(binding.initial)];
    this.#pushVariable(binding);
    costs.push(this.cost(binding.result));
    this.#scopes.pop(binding.accumulator);
    this.#copySizes(binding, binding.result);
    return addRanges(...costs);
  }

  #costComprehension(comprehension: Comprehension): CostRange {
    const { range, initial, condition, step, result, variable, variable2, accumulator } = comprehension;
    const costs = [this.cost(range), this.cost(initial)];
    this.#pushVariable(comprehension);
    const isList = this.#isList(range);
    const sizes = this.entrySizesOf(range);
    const path = this.#pathOf(range);
    const push = (name: string, part: string, size: CostRange | undefined): void =>
      this.#scopes.push(name, { path: path.append(part), ...(size && { size }) });
    if (variable2 === undefined) {
      push(variable, isList ? '@items' : '@keys', isList ? sizes?.values : sizes?.keys);
    } else {
      push(variable, isList ? '@indices' : '@keys', sizes?.keys);
      push(variable2, isList ? '@items' : '@values', sizes?.values);
    }
    const loopCost = addRanges(this.cost(condition), this.cost(step));
    this.#scopes.pop(variable);
    if (variable2 !== undefined) this.#scopes.pop(variable2);
    costs.push(this.cost(result));
    this.#scopes.pop(accumulator);
    const count = this.computeSize(range) ?? unknownRange;
    costs.push(multiplyRanges(count, loopCost));
    if (initial.kind === 'literal') this.#setSize(comprehension, this.computeSize(initial));
    if (initial.kind === 'list' || initial.kind === 'map') {
      this.#setSize(comprehension, count);
      this.setEntrySizes(comprehension, this.entrySizesOf(step));
    }
    return addRanges(...costs);
  }

  #isList(range: Expression): boolean {
    return this.entrySizesOf(range)?.isList ?? this.#typeOf(range)?.kind === 'list';
  }

  #pushVariable({ accumulator, initial }: Comprehension): void {
    const size = this.computeSize(initial);
    const entrySizes = this.entrySizesOf(initial);
    this.#scopes.push(accumulator, {
      path: this.#pathOf(initial),
      ...(size && { size }),
      ...(entrySizes && { entrySizes }),
    });
  }

  #copySizes(to: Expression, from: Expression): void {
    this.#setSize(to, this.computeSize(from));
    this.setEntrySizes(to, this.entrySizesOf(from));
  }
}

/** Whether a comprehension only gives a value a name. */
function isBinding({ range, condition, accumulator }: Comprehension): boolean {
  return (
    range.kind === 'list' &&
    range.items.length === 0 &&
    condition.kind === 'literal' &&
    condition.value === false &&
    accumulator !== '__result__'
  );
}

function sizeOfLiteral(expression: Expression): CostRange | undefined {
  switch (expression.kind) {
    case 'literal': {
      const { value } = expression;
      if (typeof value === 'string') return fixRange(Array.from(value).length);
      if (value instanceof Uint8Array) return fixRange(value.length);
      return value instanceof CelTypeValue ? undefined : fixRange(1);
    }
    case 'list':
      return fixRange(expression.items.length);
    case 'map':
      return fixRange(expression.entries.length);
    default:
      return undefined;
  }
}

const scalarKinds: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(type: CelType | undefined): boolean {
  if (type === undefined) return false;
  if (type.kind === 'opaque' && type.name === 'optional_type') return isScalar(type.parameters[0]);
  return scalarKinds.has(type.kind);
}
