import { everyRequest, groupSubject } from './rule-parts.ts';
import type { FlowSchemaSpec, FlowSubject, ResourcePolicyRule } from './schema.ts';

const everyone: readonly FlowSubject[] = [groupSubject('system:unauthenticated'), groupSubject('system:authenticated')];
const nodes = groupSubject('system:nodes');
const kubeSystemAccounts: FlowSubject = {
  kind: 'ServiceAccount',
  serviceAccount: { namespace: 'kube-system', name: '*' },
};

function userSubject(name: string): FlowSubject {
  return { kind: 'User', user: { name } };
}

/** Requests about the Leases of every namespace. */
function matchLeases(verbs: string[]): ResourcePolicyRule {
  return { verbs, apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] };
}

/** All that subjects ask for. */
function takeAll(
  level: string,
  matchingPrecedence: number,
  distinguisher: 'ByUser' | 'ByNamespace',
  subjects: readonly FlowSubject[],
): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    distinguisherMethod: { type: distinguisher },
    rules: [{ subjects: [...subjects], ...everyRequest }],
  };
}

/** The flow schemas that a server begins with, by name; people may change them. */
export const suggestedFlowSchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map<string, FlowSchemaSpec>([
  ['system-nodes', takeAll('system', 500, 'ByUser', [nodes])],
  [
    'system-node-high',
    {
      priorityLevelConfiguration: { name: 'node-high' },
      matchingPrecedence: 400,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [nodes],
          resourceRules: [
            {
              ...{ verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'] },
              ...{ clusterScope: true, namespaces: ['*'] },
            },
            matchLeases(['*']),
          ],
        },
      ],
    },
  ],
  [
    'probes',
    {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 2,
      rules: [
        {
          subjects: [...everyone],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
        },
      ],
    },
  ],
  [
    'system-leader-election',
    {
      priorityLevelConfiguration: { name: 'leader-election' },
      matchingPrecedence: 100,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [
            userSubject('system:kube-controller-manager'),
            userSubject('system:kube-scheduler'),
            kubeSystemAccounts,
          ],
          resourceRules: [matchLeases(['get', 'create', 'update'])],
        },
      ],
    },
  ],
  [
    'kube-controller-manager',
    takeAll('workload-high', 800, 'ByNamespace', [userSubject('system:kube-controller-manager')]),
  ],
  ['kube-scheduler', takeAll('workload-high', 800, 'ByNamespace', [userSubject('system:kube-scheduler')])],
  ['kube-system-service-accounts', takeAll('workload-high', 900, 'ByNamespace', [kubeSystemAccounts])],
  ['service-accounts', takeAll('workload-low', 9000, 'ByUser', [groupSubject('system:serviceaccounts')])],
  ['global-default', takeAll('global-default', 9900, 'ByUser', everyone)],
]);
