import type { FlowSubject, PolicyRules } from './schema.ts';

/** Rules that match every request. */
export const everyRequest: Pick<PolicyRules, 'resourceRules' | 'nonResourceRules'> = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

/** The users of a group. */
export function groupSubject(name: string): FlowSubject {
  return { kind: 'Group', group: { name } };
}
