/** What the walk over the endpoint tables needs of a kind: a valid object, a change of it, and what its status may say. */
export interface KindSample {
  readonly kind: string;
  readonly plural: string;
  /** Group with `{domain}`; empty for the core group. */
  readonly group: string;
  readonly namespaced: boolean;
  readonly spec: Readonly<Record<string, unknown>>;
  /** Merge patch of the spec that stays valid and changes something. */
  readonly change: Readonly<Record<string, unknown>>;
  /** A status that a client may write; absent for kinds without the subresource. */
  readonly status?: Readonly<Record<string, unknown>>;
}

const condition = {
  type: 'Walked',
  status: 'True',
  reason: 'Walk',
  message: 'seen',
  lastTransitionTime: '2026-01-02T03:04:05Z',
};
const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
};

/** One sample a kind, by the heading of its endpoint table. */
export const kindSamples: Readonly<Record<string, KindSample>> = {
  ResourceQuota: {
    kind: 'ResourceQuota',
    plural: 'resourcequotas',
    group: '',
    namespaced: true,
    spec: { hard: { pods: '10', 'requests.cpu': '4' } },
    change: { hard: { pods: '11' } },
    status: { hard: { pods: '10', 'requests.cpu': '4' }, used: { pods: '3', 'requests.cpu': '1' } },
  },
  LimitRange: {
    kind: 'LimitRange',
    plural: 'limitranges',
    group: '',
    namespaced: true,
    spec: { limits: [{ type: 'Container', max: { cpu: '2' }, default: { cpu: '1' } }] },
    change: { limits: [{ type: 'Container', max: { cpu: '3' } }] },
  },
  NetworkPolicy: {
    kind: 'NetworkPolicy',
    plural: 'networkpolicies',
    group: 'networking.{domain}',
    namespaced: true,
    spec: { podSelector: {}, policyTypes: ['Ingress'] },
    change: { policyTypes: ['Ingress', 'Egress'] },
  },
  Ingress: {
    kind: 'Ingress',
    plural: 'ingresses',
    group: 'networking.{domain}',
    namespaced: true,
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
    change: { defaultBackend: { service: { name: 'shop', port: { number: 80 } } } },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
  },
  PodDisruptionBudget: {
    kind: 'PodDisruptionBudget',
    plural: 'poddisruptionbudgets',
    group: 'policy',
    namespaced: true,
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    change: { minAvailable: 2 },
    status: { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1, expectedPods: 2 },
  },
  FlowSchema: {
    kind: 'FlowSchema',
    plural: 'flowschemas',
    group: 'flowcontrol.apiserver.{domain}',
    namespaced: false,
    spec: { priorityLevelConfiguration: { name: 'global-default' }, matchingPrecedence: 500 },
    change: { matchingPrecedence: 501 },
    status: { conditions: [condition] },
  },
  PriorityLevelConfiguration: {
    kind: 'PriorityLevelConfiguration',
    plural: 'prioritylevelconfigurations',
    group: 'flowcontrol.apiserver.{domain}',
    namespaced: false,
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 10, limitResponse: { type: 'Reject' } } },
    change: { limited: { nominalConcurrencyShares: 11, limitResponse: { type: 'Reject' } } },
    status: { conditions: [condition] },
  },
  ValidatingAdmissionPolicy: {
    kind: 'ValidatingAdmissionPolicy',
    plural: 'validatingadmissionpolicies',
    group: 'admissionregistration.{domain}',
    namespaced: false,
    spec: { matchConstraints, validations: [{ expression: 'true' }] },
    change: { failurePolicy: 'Ignore' },
    status: { observedGeneration: 1, conditions: [condition] },
  },
  ValidatingAdmissionPolicyBinding: {
    kind: 'ValidatingAdmissionPolicyBinding',
    plural: 'validatingadmissionpolicybindings',
    group: 'admissionregistration.{domain}',
    namespaced: false,
    spec: { policyName: 'some-policy', validationActions: ['Deny'] },
    change: { policyName: 'other-policy' },
  },
};
