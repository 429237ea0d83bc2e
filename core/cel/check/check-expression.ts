import type { CelFault } from '../cel-program.ts';
import type {
  Call,
  Comprehension,
  Expression,
  Identifier,
  ListExpression,
  Literal,
  MapExpression,
  Select,
} from '../syntax/expression.ts';
import {
  boolType, bytesType, doubleType, dynType, errorType, intType, makeListType, makeMapType, makeOptionalType, nullType, stringType, uintType,
  type CelType,
} from '../types/cel-type.ts'; // prettier-ignore
import { formatCelType } from '../types/format-cel-type.ts';
import { nowhere } from '../syntax/source-text.ts';
import { CelDouble, CelUint, type CelValue } from '../values/cel-value.ts';
import type { CelEnvironment } from './cel-environment.ts';
import { CheckContext } from './check-context.ts';
import { checkMessage } from './check-message.ts';
import { checkOptionalItem, unwrapOptional } from './check-optional.ts';
import type { CheckedExpression } from './checked-expression.ts';
import { resolveOverload } from './resolve-overload.ts';
import { TypesTooLarge } from './type-bindings.ts';

/** A checked expression, or its faults by where they stand; `count` is how many there were, of which the first hundred are kept. */
export type CheckResult =
  | { readonly checked: CheckedExpression; readonly faults?: undefined }
  | { readonly checked?: undefined; readonly faults: readonly CelFault[]; readonly count: number };

/** Gives every node of a parsed expression its type, and every name and call what it refers to. */
export function checkExpression(source: string, parsed: Expression, environment: CelEnvironment): CheckResult {
  const context = new CheckContext(source, environment);
  try {
    const expression = new Checker(context).check(parsed);
    if (context.faults.count > 0) return { faults: context.faults.toSorted(), count: context.faults.count };
    const types = new Map([...context.types].map(([id, type]) => [id, context.bindings.substitute(type, true)]));
    const type = types.get(expression.id) ?? dynType;
    return { checked: { source, expression, type, types, references: context.references, environment } };
  } catch (error) {
    if (!(error instanceof TypesTooLarge)) throw error;
    return { faults: [{ at: -1, ...nowhere, message: 'the types of the expression are too large' }], count: 1 };
  }
}

class Checker {
  readonly #context: CheckContext;

  constructor(context: CheckContext) {
    this.#context = context;
  }

  /** The expression with names and calls resolved. */
  check(node: Expression): Expression {
    switch (node.kind) {
      case 'literal':
        return this.#checkLiteral(node);
      case 'identifier':
        return this.#checkIdentifier(node);
      case 'select':
        return this.#checkSelect(node);
      case 'call':
        return node.name === '_?._' ? this.#checkOptionalSelect(node) : this.#checkCall(node);
      case 'list':
        return this.#checkList(node);
      case 'map':
        return this.#checkMap(node);
      case 'message':
        return checkMessage(this.#context, node, (value) => this.check(value));
      default:
        return this.#checkComprehension(node);
    }
  }

  #checkLiteral(node: Literal): Literal {
    this.#context.types.set(node.id, typeOfLiteral(node.value));
    return node;
  }

  #checkIdentifier(node: Identifier): Identifier {
    const resolved = this.#resolveName(node, node.name);
    if (resolved !== undefined) return resolved;
    this.#context.types.set(node.id, errorType);
    this.#context.refuseName(node, node.name);
    return node;
  }

  #checkSelect(node: Select): Expression {
    const qualified = qualifyName(node);
    const resolved = qualified === undefined ? undefined : this.#resolveName(node, qualified);
    if (resolved !== undefined) return resolved;
    const operand = this.check(node.operand);
    const type = this.#checkField(node, operand, node.field, false);
    this.#setType(node, node.isTest ? boolType : type);
    return { ...node, operand };
  }

  /** `operand.?field` */
  #checkOptionalSelect(node: Call): Expression {
    const [target, field] = node.arguments;
    if (target === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') {
      this.#context.types.set(node.id, errorType);
      this.#context.faults.add(node.at, 'unsupported optional field selection');
      return node;
    }
    const operand = this.check(target);
    this.#setType(node, this.#checkField(node, operand, field.value, true));
    const called = this.#context.environment.functions.get('_?._');
    if (called !== undefined)
      this.#context.references.set(node.id, {
        kind: 'call',
        function: called,
        overloads: called.overloads.slice(0, 1),
      });
    return { ...node, arguments: [operand, field] };
  }

  #checkField(node: Expression, operand: Expression, field: string, isOptional: boolean): CelType {
    const { bindings } = this.#context;
    const type = bindings.substitute(this.#context.typeOf(operand));
    const held = unwrapOptional(type);
    const result = this.#findSelectedType(node, held ?? type, field);
    return held !== undefined || isOptional ? makeOptionalType(result) : result;
  }

  #findSelectedType(node: Expression, type: CelType, field: string): CelType {
    switch (type.kind) {
      case 'map':
        return type.values;
      case 'object':
        return this.#context.findFieldType(node, type.name, field) ?? errorType;
      case 'parameter':
        // From here on it is known not to be of any one type.
        this.#context.bindings.unify(dynType, type);
        return dynType;
      case 'dyn':
      case 'any':
      case 'error':
        return dynType;
      default:
        this.#context.faults.add(node.at, `type '${formatCelType(type)}' does not support field selection`);
        return dynType;
    }
  }

  #checkCall(node: Call): Call {
    const values = node.arguments.map((value) => this.check(value));
    const { target, ...global } = node;
    if (target === undefined) return this.#resolveCall(global, undefined, values);
    const qualifier = qualifyName(target);
    const name = `${qualifier}.${node.name}`;
    if (qualifier !== undefined && this.#context.findFunction(name) !== undefined) {
      return this.#resolveCall({ ...global, name }, undefined, values);
    }
    return this.#resolveCall(node, this.check(target), values);
  }

  #resolveCall(node: Call, target: Expression | undefined, values: readonly Expression[]): Call {
    const called = this.#context.findFunction(node.name);
    if (called === undefined) {
      this.#context.types.set(node.id, errorType);
      this.#context.refuseName(node, node.name);
      return node;
    }
    resolveOverload(this.#context, node, called, target, values);
    return { ...node, name: called.name, ...(target === undefined ? {} : { target }), arguments: values };
  }

  #checkList(node: ListExpression): ListExpression {
    const optional = new Set(node.optionalIndices);
    let joined: CelType | undefined;
    const items = node.items.map((written, index) => {
      const item = this.check(written);
      const type = optional.has(index) ? checkOptionalItem(this.#context, item) : this.#context.typeOf(item);
      joined = this.#context.joinTypes(joined, type);
      return item;
    });
    this.#context.setType(node, makeListType(joined ?? this.#context.bindings.createParameter()));
    return { ...node, items };
  }

  #checkMap(node: MapExpression): MapExpression {
    const context = this.#context;
    let keys: CelType | undefined;
    let values: CelType | undefined;
    const entries = node.entries.map((entry) => {
      const key = this.check(entry.key);
      keys = context.joinTypes(keys, context.typeOf(key));
      const value = this.check(entry.value);
      const type = entry.isOptional ? checkOptionalItem(context, value) : context.typeOf(value);
      values = context.joinTypes(values, type);
      return { ...entry, key, value };
    });
    const { bindings } = context;
    context.setType(node, makeMapType(keys ?? bindings.createParameter(), values ?? bindings.createParameter()));
    return { ...node, entries };
  }

  #checkComprehension(node: Comprehension): Comprehension {
    const context = this.#context;
    const range = this.check(node.range);
    const initial = this.check(node.initial);
    const accumulatorType = context.typeOf(initial);
    const iterated = this.#findIteratedTypes(range, node.variable2 !== undefined);
    return context.declare(new Map([[node.accumulator, accumulatorType]]), () => {
      const variables = new Map([[node.variable, iterated.first]]);
      if (node.variable2 !== undefined) variables.set(node.variable2, iterated.second);
      const { condition, step } = context.declare(variables, () => {
        const condition = this.check(node.condition);
        context.expectType(condition, boolType);
        const step = this.check(node.step);
        context.expectType(step, accumulatorType);
        return { condition, step };
      });
      const result = this.check(node.result);
      this.#setType(node, context.typeOf(result));
      return { ...node, range, initial, condition, step, result };
    });
  }

  /** Types of the one or two variables of a comprehension over `range`. */
  #findIteratedTypes(range: Expression, areTwo: boolean): { first: CelType; second: CelType } {
    const { bindings, faults } = this.#context;
    const type = bindings.substitute(this.#context.typeOf(range));
    if (type.kind === 'list')
      return areTwo ? { first: intType, second: type.items } : { first: type.items, second: errorType };
    if (type.kind === 'map') return { first: type.keys, second: type.values };
    if (type.kind === 'dyn' || type.kind === 'error' || type.kind === 'parameter') {
      bindings.unify(dynType, type);
      return { first: dynType, second: dynType };
    }
    const expected = 'cannot be range of a comprehension (must be list, map, or dynamic)';
    faults.add(range.at, `expression of type '${formatCelType(type)}' ${expected}`);
    return { first: errorType, second: errorType };
  }

  /** The node as the name of what is declared by it; `undefined` when nothing is. */
  #resolveName(node: Identifier | Select, written: string): Identifier | undefined {
    const declaration = this.#context.findDeclaration(written);
    if (declaration === undefined) return undefined;
    this.#context.types.set(node.id, declaration.type);
    this.#context.references.set(node.id, declaration.reference);
    return { kind: 'identifier', id: node.id, at: node.at, name: declaration.name };
  }

  #setType(node: Expression, type: CelType): void {
    this.#context.setType(node, this.#context.bindings.substitute(type));
  }
}

/** `a.b.c` as one name; `undefined` for any other expression. */
function qualifyName(node: Expression): string | undefined {
  if (node.kind === 'identifier') return node.name;
  if (node.kind !== 'select' || node.isTest) return undefined;
  const qualifier = qualifyName(node.operand);
  return qualifier === undefined ? undefined : `${qualifier}.${node.field}`;
}

function typeOfLiteral(value: CelValue): CelType {
  if (value === null) return nullType;
  if (typeof value === 'boolean') return boolType;
  if (typeof value === 'string') return stringType;
  if (value instanceof Uint8Array) return bytesType;
  if (value instanceof CelUint) return uintType;
  return value instanceof CelDouble ? doubleType : intType;
}
