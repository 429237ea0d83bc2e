import { describe, expect, it } from 'vitest';
import { type EnforcedFacts, findPatienceLeft, planEnforcedCondition } from './plan-enforced-condition.ts';

const base: EnforcedFacts = {
  ...{ generation: 3, enforcement: 'Enforce', faults: [], bindings: 1, registered: 'Enforce', waitedMillis: 0 },
  replicas: { total: 2, behind: 0 },
};

describe('planEnforcedCondition', () => {
  it.for<[string, Partial<EnforcedFacts>, string]>([
    ['in force', {}, 'True Enforced: Every replica of the webhooks acts on it'],
    ['invalid', { faults: ['a', 'b'] }, 'False Invalid: Nothing acts on it: a; b'],
    ['without a binding', { bindings: 0 }, 'False NotBound: No binding puts it into effect'],
    ['switched off', { enforcement: 'Off' }, 'False EnforcementOff: Enforcement is off for the whole release'],
    ['audited', { enforcement: 'Audit', registered: 'Audit' }, 'False Audited: It is audited: nothing is refused'],
    ['on its way', { replicas: { total: 2, behind: 1 } }, 'nothing'],
    [
      'late at a replica',
      { replicas: { total: 2, behind: 1 }, waitedMillis: 5_000 },
      'Unknown Pending: 1 of 2 replicas of the webhooks have not seen it yet',
    ],
    [
      'not registered',
      { registered: undefined, waitedMillis: 9_000 },
      'Unknown Pending: The host does not ask yet about what it matches',
    ],
    [
      'without replicas',
      { replicas: { total: 0, behind: 0 }, waitedMillis: 9_000 },
      'Unknown Pending: No replica of the webhooks is there',
    ],
    ['audited, but late', { enforcement: 'Audit', registered: 'Audit', replicas: { total: 1, behind: 1 } }, 'nothing'],
    ['switched on again, but not registered', { registered: 'Off' }, 'nothing'],
    ['registered as audited', { registered: 'Audit' }, 'nothing'],
    ['audited, but registered as binding', { enforcement: 'Audit' }, 'nothing'],
  ])('%s', ([, facts, expected]) => {
    const condition = planEnforcedCondition({ ...base, ...facts });
    const shown = condition === undefined ? 'nothing' : `${condition.status} ${condition.reason}: ${condition.message}`;
    expect(shown).toBe(expected);
    if (condition !== undefined) expect(condition).toMatchObject({ type: 'Enforced', observedGeneration: 3 });
  });

  it('is patient for so long', () => {
    expect([0, 3_000, 9_000].map((waitedMillis) => findPatienceLeft({ ...base, waitedMillis }))).toEqual([
      5_000, 2_000, 0,
    ]);
  });
});
