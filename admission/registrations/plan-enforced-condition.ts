import type { Enforcement } from '../../platform/release/enforcement.ts';

/** What decides whether a policy is in force. */
export interface EnforcedFacts {
  readonly generation: number;
  readonly enforcement: Enforcement;
  /** Why nothing can act on the policy; empty when something can. */
  readonly faults: readonly string[];
  /** How many bindings it has that can be acted on. */
  readonly bindings: number;
  /** By which setting the host asks, or does not ask, the webhooks for what this generation and its bindings match; `undefined`: not yet by any. */
  readonly registered: Enforcement | undefined;
  /** Replicas of the webhooks, and how many of them have not seen this generation and its bindings. */
  readonly replicas: { readonly total: number; readonly behind: number };
  /** How long this has been waited for, in milliseconds. */
  readonly waitedMillis: number;
}

/** What the condition `Enforced` is to say, but for its times. */
export interface EnforcedCondition {
  readonly type: 'Enforced';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: 'Enforced' | 'Invalid' | 'NotBound' | 'EnforcementOff' | 'Audited' | 'Pending';
  readonly message: string;
  readonly observedGeneration: number;
}

/** So long nothing is said of a policy that is on its way. */
const patienceMillis = 5_000;
const longestMessage = 32_768;

function describeWait({ replicas: { total, behind } }: EnforcedFacts): string {
  if (total === 0) return 'No replica of the webhooks is there';
  if (behind > 0) return `${behind} of ${total} replicas of the webhooks have not seen it yet`;
  return 'The host does not ask yet about what it matches';
}

/** The condition of a policy at a host; `undefined` while it is too early to say anything, and what was said of an earlier generation stays. */
export function planEnforcedCondition(facts: EnforcedFacts): EnforcedCondition | undefined {
  const { generation, enforcement, faults, bindings, registered, replicas, waitedMillis } = facts;
  const say = (
    status: EnforcedCondition['status'],
    reason: EnforcedCondition['reason'],
    message: string,
  ): EnforcedCondition => ({
    ...{ type: 'Enforced', status, reason, observedGeneration: generation },
    message: message.slice(0, longestMessage),
  });
  if (faults.length > 0) return say('False', 'Invalid', `Nothing acts on it: ${faults.join('; ')}`);
  if (enforcement === 'Off') return say('False', 'EnforcementOff', 'Enforcement is off for the whole release');
  if (bindings === 0) return say('False', 'NotBound', 'No binding puts it into effect');
  // What is registered follows a change of the setting, and so does what is said of it.
  if (registered === enforcement && replicas.total > 0 && replicas.behind === 0) {
    if (enforcement === 'Audit') return say('False', 'Audited', 'It is audited: nothing is refused');
    return say('True', 'Enforced', 'Every replica of the webhooks acts on it');
  }
  return waitedMillis < patienceMillis ? undefined : say('Unknown', 'Pending', describeWait(facts));
}

/** How long until `planEnforcedCondition` may say more of its own accord. */
export function findPatienceLeft({ waitedMillis }: EnforcedFacts): number {
  return Math.max(0, patienceMillis - waitedMillis);
}
