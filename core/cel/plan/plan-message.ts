import type { MessageExpression } from '../syntax/expression.ts';
import { CelError, type CelResult, type CelValue } from '../values/cel-value.ts';
import { makeMessage } from './make-message.ts';
import { takeOptional } from './plan-aggregate.ts';
import type { Evaluate } from './frame.ts';
import type { PlanNode } from './plan-node.ts';
import type { PlanContext } from './plan-context.ts';

const messageCost = 40;

/**
 * Plans a value of a message, such as `google.protobuf.Int32Value{value: 1}`. A type that is declared for the checker alone makes none, which
 * turns out when it is evaluated.
 */
export function planMessage(planner: PlanContext, node: MessageExpression): PlanNode {
  const reference = planner.checked.references.get(node.id);
  const typeName = reference?.kind === 'message' ? reference.typeName : node.typeName;
  const fields = node.fields.map(({ field, value, isOptional }) => ({
    field,
    isOptional,
    value: planner.compile(planner.plan(value)),
  }));
  const isMade = typeName.startsWith('google.protobuf.');
  const unknownType = new CelError(`unknown type '${typeName}'`);
  return {
    kind: 'computed',
    evaluate: makeEvaluate((values) => (isMade ? makeMessage(typeName, values) : unknownType), fields),
  };
}

interface FieldPlan {
  readonly field: string;
  readonly isOptional: boolean;
  readonly value: Evaluate;
}

function makeEvaluate(
  make: (fields: ReadonlyMap<string, CelValue>) => CelResult,
  plans: readonly FieldPlan[],
): Evaluate {
  const evaluate: Evaluate = (frame) => {
    const fields = new Map<string, CelValue>();
    for (const { field, isOptional, value: evaluateField } of plans) {
      const value = evaluateField(frame);
      if (value instanceof CelError) return value;
      const taken = isOptional ? takeOptional(field, value) : value;
      if (taken instanceof CelError) return taken;
      if (taken === undefined) fields.delete(field);
      else fields.set(field, taken);
    }
    return make(fields);
  };
  return (frame) => {
    const value = evaluate(frame);
    frame.meter.charge(messageCost);
    return value;
  };
}
