import { formatTime } from '../../../core/time/time.ts';
import type { CustomResourceDefinition, DefinitionCondition } from './custom-resource-definition.ts';

/** What a definition's status says. */
export type DefinitionStatus = NonNullable<CustomResourceDefinition['status']>;

/** The condition of a type; `undefined` when there is none. */
export function findCondition(
  definition: Pick<CustomResourceDefinition, 'status'>,
  type: string,
): DefinitionCondition | undefined {
  return (definition.status?.conditions ?? []).find((condition) => condition.type === type);
}

/** Whether the condition of a type is there and True. */
export function isConditionTrue(definition: Pick<CustomResourceDefinition, 'status'>, type: string): boolean {
  return findCondition(definition, type)?.status === 'True';
}

/** Whether two conditions say the same, whenever they began to. */
export function saysTheSame(left: DefinitionCondition | undefined, right: DefinitionCondition | undefined): boolean {
  return (
    left?.type === right?.type &&
    left?.status === right?.status &&
    (left?.reason ?? '') === (right?.reason ?? '') &&
    (left?.message ?? '') === (right?.message ?? '')
  );
}

/** The status with a condition in place of that of its type, or behind the others; the transition time is kept while the status is. */
export function withCondition(
  status: DefinitionStatus,
  condition: DefinitionCondition,
  nowMillis: number,
): DefinitionStatus {
  const conditions = status.conditions ?? [];
  const old = conditions.find(({ type }) => type === condition.type);
  const isKept = old?.status === condition.status && (old.lastTransitionTime ?? '') !== '';
  const placed = { ...condition, lastTransitionTime: isKept ? old.lastTransitionTime : formatTime(nowMillis) };
  const placedConditions =
    old === undefined ? [...conditions, placed] : conditions.map((other) => (other === old ? placed : other));
  return { ...status, conditions: placedConditions };
}
