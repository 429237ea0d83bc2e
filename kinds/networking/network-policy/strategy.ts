import { warnOfCidr } from '../../../core/validation/ip.ts';
import type { KindStrategy } from '../../kind-definition.ts';
import { applyNetworkPolicyDefaults } from './defaults.ts';
import { listCidrs } from './list-rules.ts';
import type { NetworkPolicy } from './schema.ts';
import { validateNetworkPolicy, validateNetworkPolicyUpdate } from './validate.ts';

function warnOfRanges(policy: NetworkPolicy): string[] {
  return listCidrs(policy.spec).flatMap(({ value, path }) => warnOfCidr(value, path));
}

/** How network policies are written; ranges in an unusual notation earn a warning. */
export const networkPolicyStrategy: KindStrategy<NetworkPolicy> = {
  generationFields: ['spec'],
  repeatedChecks: ['object', 'change'],
  applyDefaults: applyNetworkPolicyDefaults,
  prepareForCreate() {},
  prepareForUpdate() {},
  validateCreate: validateNetworkPolicy,
  validateUpdate: validateNetworkPolicyUpdate,
  warnOnCreate: warnOfRanges,
  warnOnUpdate: warnOfRanges,
};
