/** Group of the kind whose objects are made. */
const slowGroup = 'bench.example.org';
/** Where they are made: in the version that is not stored, so that somebody is asked who takes a while. */
export const slowPath = `/apis/${slowGroup}/v2/slows`;
/** Body of a creation, for the load. */
export const slowBody = JSON.stringify({ apiVersion: `${slowGroup}/v2`, kind: 'Slow', metadata: { name: '%NAME%' } });

/** Groups of users: each is a FlowSchema of its own, at one level. */
const groups = ['mice', 'elephant'] as const;
/** Seats of the level. */
export const seats = 10;
/** What the level's share must be, beside the suggested levels and 600 seats, for that many. */
const shares = 4;

const flowVersion = 'flowcontrol.apiserver.k8s.io/v1';
const version = {
  served: true,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
};

/** What is installed on each side, with the path it is created at. */
export function listFlowObjects(
  webhookUrl: string,
  authority: string,
): readonly (readonly [path: string, body: object])[] {
  const caBundle = Buffer.from(authority).toString('base64');
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `slows.${slowGroup}` },
    spec: {
      group: slowGroup,
      scope: 'Cluster',
      names: { plural: 'slows', singular: 'slow', kind: 'Slow', listKind: 'SlowList' },
      versions: [
        { name: 'v1', storage: true, ...version },
        { name: 'v2', storage: false, ...version },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: webhookUrl, caBundle }, conversionReviewVersions: ['v1'] },
      },
    },
  };
  const queuing = { queues: 64, handSize: 8, queueLengthLimit: 50 };
  const level = {
    apiVersion: flowVersion,
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'narrow' },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: shares,
        lendablePercent: 0,
        // Rounded, that is no seat at all: the level keeps to its own.
        borrowingLimitPercent: 1,
        limitResponse: { type: 'Queue', queuing },
      },
    },
  };
  const schemas = groups.map((group) => ({
    apiVersion: flowVersion,
    kind: 'FlowSchema',
    metadata: { name: group },
    spec: {
      matchingPrecedence: 100,
      priorityLevelConfiguration: { name: 'narrow' },
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [{ kind: 'Group', group: { name: group } }],
          resourceRules: [{ verbs: ['*'], apiGroups: [slowGroup], resources: ['*'], clusterScope: true }],
        },
      ],
    },
  }));
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'slows' },
    rules: [{ apiGroups: [slowGroup], resources: ['slows'], verbs: ['create'] }],
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'slows' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'slows' },
    subjects: groups.map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name })),
  };
  const flows = `/apis/${flowVersion}`;
  return [
    ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition],
    [`${flows}/prioritylevelconfigurations`, level],
    ...schemas.map((schema) => [`${flows}/flowschemas`, schema] as const),
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', role],
    ['/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding],
  ];
}
