import type { z } from 'zod';
import type { FieldError } from '../../core/errors/field-error.ts';
import type { FieldPath } from '../../core/errors/field-path.ts';
import { makeDuplicate, makeRequired } from '../../core/errors/make-field-error.ts';
import { filled, omitted, struct, text, time } from '../schema-vocabulary.ts';

/** Schema of a condition of the flow-control kinds; `owner` is the kind's name. */
export function flowConditionSchema(owner: string) {
  return struct(
    { definition: `io.k8s.api.flowcontrol.v1.${owner}Condition`, description: 'One aspect of the current state.' },
    {
      type: omitted(text(), 'Name of the aspect.', { goType: `v1.${owner}ConditionType` }),
      status: omitted(text(), 'True, False or Unknown.', { goType: 'v1.ConditionStatus' }),
      lastTransitionTime: filled(time().nullable(), 'When the status last changed.'),
      reason: omitted(text(), 'CamelCase word for the cause of the last change.'),
      message: omitted(text(), 'Explanation for people.'),
    },
  );
}

/** A condition of a FlowSchema or PriorityLevelConfiguration. */
export type FlowCondition = z.infer<ReturnType<typeof flowConditionSchema>>;

/** Faults of the conditions: each needs a type of its own. */
export function validateFlowConditions(
  conditions: readonly FlowCondition[] | undefined,
  path: FieldPath,
): FieldError[] {
  const types = new Set<string>();
  return (conditions ?? []).flatMap(({ type = '' }, i) => {
    const typePath = path.index(i).child('type');
    const errors = types.has(type) ? [makeDuplicate(typePath, type)] : [];
    types.add(type);
    return type === '' ? [...errors, makeRequired(typePath, '')] : errors;
  });
}
