import type { FlowCondition } from './flow-conditions.ts';

/** What decides whether requests are dispatched by a FlowSchema or PriorityLevelConfiguration at a host. */
export interface FlowEnforcedFacts {
  readonly generation: number;
  /** Why nothing can act on the object; empty when something can. */
  readonly faults: readonly string[];
  /** The level that a schema refers to and that is not there; absent where it is, and of levels. */
  readonly missingLevel?: string;
}

/** What the condition `Enforced` is to say, but for its time. */
export type FlowEnforcedCondition = Required<Pick<FlowCondition, 'type' | 'status' | 'reason' | 'message'>>;

const longestMessage = 32_768;

/** The condition that tells since which generation an object is in force at a host, and for which requests. */
export function planFlowEnforcedCondition({
  generation,
  faults,
  missingLevel,
}: FlowEnforcedFacts): FlowEnforcedCondition {
  const say = (status: 'True' | 'False', reason: string, message: string): FlowEnforcedCondition => ({
    ...{ type: 'Enforced', status, reason },
    message: message.slice(0, longestMessage),
  });
  if (faults.length > 0) return say('False', 'Invalid', `Nothing acts on it: ${faults.join('; ')}`);
  if (missingLevel !== undefined) {
    return say('False', 'Dangling', `There is no PriorityLevelConfiguration ${JSON.stringify(missingLevel)} to act by`);
  }
  return say(
    'True',
    'Enforced',
    `Generation ${generation} guards the API service and the aggregated endpoints of each replica of the operator; ` +
      'what is asked of the host itself is guarded by its own flow control',
  );
}

/** Whether conditions say this already. */
export function hasFlowCondition(
  conditions: readonly FlowCondition[] | undefined,
  wanted: FlowEnforcedCondition,
): boolean {
  const known = (conditions ?? []).find(({ type }) => type === wanted.type);
  return (['status', 'reason', 'message'] as const).every((key) => known?.[key] === wanted[key]);
}
