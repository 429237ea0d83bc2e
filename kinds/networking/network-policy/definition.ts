import { formatLabelSelector } from '../../../core/selectors/label-selector.ts';
import { deriveSchema } from '../../derive-schema.ts';
import { formatAge } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, column, nameColumn } from '../../printer-columns.ts';
import { networkPolicyCrd } from './crd.ts';
import { networkPolicySchema } from './schema.ts';
import type { NetworkPolicy } from './schema.ts';
import { networkPolicyStrategy } from './strategy.ts';

/** NetworkPolicy: allowed traffic of a set of pods. */
export const networkPolicyKind: KindDefinition<NetworkPolicy> = {
  kind: 'NetworkPolicy',
  groupTemplate: 'networking.{domain}',
  version: 'v1',
  plural: 'networkpolicies',
  singular: 'networkpolicy',
  shortNames: ['netpol'],
  categories: [],
  namespaced: true,
  schema: deriveSchema(networkPolicySchema),
  strategy: networkPolicyStrategy,
  crd: networkPolicyCrd,
  columns: [nameColumn, column('Pod-Selector', 'string', 'Pods that the policy is for.'), ageColumn],
  printRow: (policy, nowMillis) => [
    policy.metadata.name ?? '',
    formatLabelSelector(policy.spec.podSelector) || '<none>',
    formatAge(policy.metadata.creationTimestamp, nowMillis),
  ],
  description: 'Says what traffic is allowed for a set of pods.',
};
