import type { CheckedExpression } from '../check/checked-expression.ts';
import type { Call, Expression, Identifier, Select } from '../syntax/expression.ts';
import { unescapeFieldName } from '../types/escape-field-name.ts';
import { addQualifier, type Attribute, type Qualifier } from './attribute.ts';
import type { LocalVariable, PlanContext } from './plan-context.ts';
import { compileAttribute, compileResolve } from './compile-attribute.ts';
import { planCall } from './plan-call.ts';
import { planComprehension } from './plan-comprehension.ts';
import { planList, planMap } from './plan-aggregate.ts';
import { planMessage } from './plan-message.ts';
import { PlanRefusal, type Evaluate } from './frame.ts';
import type { PlanNode } from './plan-node.ts';
import { refuseQualifier } from './qualify-value.ts';

/** Plans the parts of one expression. */
export class Planner implements PlanContext {
  readonly checked: CheckedExpression;
  localCount = 0;
  #scope: readonly LocalVariable[] = [];

  constructor(checked: CheckedExpression) {
    this.checked = checked;
  }

  /** Plans a part; throws a PlanRefusal. */
  plan(node: Expression): PlanNode {
    switch (node.kind) {
      case 'literal':
        return { kind: 'constant', value: node.value };
      case 'identifier':
        return this.#planIdentifier(node);
      case 'select':
        return this.#planSelect(node);
      case 'call':
        return this.#planCall(node);
      case 'list':
        return planList(this, node);
      case 'map':
        return planMap(this, node);
      case 'message':
        return planMessage(this, node);
      default:
        return planComprehension(this, node);
    }
  }

  /** What evaluates a part. */
  compile(node: PlanNode): Evaluate {
    switch (node.kind) {
      case 'constant': {
        const { value } = node;
        return () => value;
      }
      case 'attribute':
        return compileAttribute(node.attribute, node.isTest);
      default:
        return node.evaluate;
    }
  }

  /** A place for a variable of a comprehension. */
  reserveLocal(): number {
    return this.localCount++;
  }

  /** Plans something within which these variables are known. */
  within<T>(locals: readonly LocalVariable[], plan: () => T): T {
    const outer = this.#scope;
    this.#scope = [...outer, ...locals];
    try {
      return plan();
    } finally {
      this.#scope = outer;
    }
  }

  /** What selections may be added to. */
  toAttribute(node: PlanNode): Attribute {
    if (node.kind === 'attribute') return node.attribute;
    return { base: { kind: 'operand', evaluate: this.compile(node) }, qualifiers: [] };
  }

  /** Plans `operand[key]`, and its like where what is absent is nothing. */
  planIndex(operand: PlanNode, key: PlanNode, isOptional: boolean): PlanNode {
    return this.#qualify(operand, this.#makeQualifier(key, isOptional));
  }

  #qualify(operand: PlanNode, qualifier: Qualifier): PlanNode {
    const isTest = qualifier.isTest || (operand.kind === 'attribute' && operand.isTest);
    return { kind: 'attribute', attribute: addQualifier(this.toAttribute(operand), qualifier), isTest };
  }

  #makeQualifier(key: PlanNode, isOptional: boolean): Qualifier {
    switch (key.kind) {
      case 'constant': {
        const refusal = refuseQualifier(key.value);
        if (refusal !== undefined) throw new PlanRefusal(refusal.message);
        return { key: key.value, isOptional, isTest: false };
      }
      case 'attribute': {
        const evaluateKey = compileResolve(key.attribute);
        // cel-go makes a value of each item that a comprehension looks at.
        const isItem = key.attribute.choice === undefined && isBareLocal(key.attribute);
        const common = { key: undefined, evaluateKey, isOptional, isTest: false };
        return isItem ? common : { ...common, isRead: key.attribute.choice === undefined };
      }
      default:
        return { key: undefined, evaluateKey: key.evaluate, isOptional, isTest: false };
    }
  }

  #planIdentifier({ id, name }: Identifier): PlanNode {
    const reference = this.checked.references.get(id);
    if (reference?.kind === 'constant') return { kind: 'constant', value: reference.value };
    const variable = reference?.kind === 'variable' ? reference.name : name;
    const base = this.#scope.findLast((local) => local.name === variable)?.base ?? { kind: 'variable', name: variable };
    return { kind: 'attribute', attribute: { base, qualifiers: [] }, isTest: false };
  }

  #planSelect({ operand, field, isTest }: Select): PlanNode {
    const unescaped = field.includes('__') ? unescapeFieldName(field) : field;
    const qualifier = { key: field, isOptional: false, isTest };
    return this.#qualify(this.plan(operand), unescaped === field ? qualifier : { ...qualifier, unescaped });
  }

  #planCall(node: Call): PlanNode {
    return planCall(this, node);
  }
}

function isBareLocal({ base, qualifiers }: Exclude<Attribute, { choice: object }>): boolean {
  return base.kind === 'local' && qualifiers.length === 0;
}
