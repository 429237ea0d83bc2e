import { describe, expect, it } from 'vitest';
import { hasFlowCondition, planFlowEnforcedCondition, type FlowEnforcedFacts } from './plan-enforced-condition.ts';

describe('planFlowEnforcedCondition', () => {
  it.for<[facts: Partial<FlowEnforcedFacts>, status: string, reason: string, message: string]>([
    [{}, 'True', 'Enforced', 'Generation 3 guards the API service and the aggregated endpoints of each replica'],
    [{ missingLevel: 'l' }, 'False', 'Dangling', 'There is no PriorityLevelConfiguration "l" to act by'],
    [{ faults: ['a', 'b'] }, 'False', 'Invalid', 'Nothing acts on it: a; b'],
    [{ faults: ['a'], missingLevel: 'l' }, 'False', 'Invalid', 'Nothing acts on it: a'],
  ])('%j', ([facts, status, reason, message]) => {
    const condition = planFlowEnforcedCondition({ generation: 3, faults: [], ...facts });
    expect(condition).toMatchObject({ type: 'Enforced', status, reason });
    expect(condition.message.startsWith(message)).toBe(true);
  });

  it('keeps messages within what a condition holds', () => {
    const { message } = planFlowEnforcedCondition({ generation: 1, faults: ['a'.repeat(100_000)] });
    expect(message).toHaveLength(32_768);
  });
});

describe('hasFlowCondition', () => {
  const wanted = planFlowEnforcedCondition({ generation: 1, faults: [] });
  it.for<[conditions: Parameters<typeof hasFlowCondition>[0], has: boolean]>([
    [undefined, false],
    [[{ ...wanted, lastTransitionTime: '2026-01-01T00:00:00Z' }], true],
    [[{ ...planFlowEnforcedCondition({ generation: 2, faults: [] }), lastTransitionTime: null }], false],
    [[{ ...wanted, type: 'Dangling', lastTransitionTime: null }], false],
  ])('%#', ([conditions, has]) => {
    expect(hasFlowCondition(conditions, wanted)).toBe(has);
  });
});
