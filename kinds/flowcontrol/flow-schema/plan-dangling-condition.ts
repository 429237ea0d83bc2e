import type { FlowCondition } from '../flow-conditions.ts';
import type { FlowSchema } from './schema.ts';

/** What the condition `Dangling` is to say, but for its time. */
export type DanglingCondition = Required<Pick<FlowCondition, 'type' | 'status' | 'reason' | 'message'>>;

/** The condition that tells whether the level of a schema is there; `undefined` when the schema says so already. */
export function planDanglingCondition(schema: FlowSchema, isLevelThere: boolean): DanglingCondition | undefined {
  const start = `This FlowSchema references the PriorityLevelConfiguration object named "${schema.spec.priorityLevelConfiguration.name}"`;
  const wanted: DanglingCondition = isLevelThere
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${start} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${start} but there is no such object` };
  const known = (schema.status.conditions ?? []).find(({ type }) => type === wanted.type);
  const isSame = (['status', 'reason', 'message'] as const).every((key) => known?.[key] === wanted[key]);
  return isSame ? undefined : wanted;
}
