import type { ApplyScenario } from './apply-scenario.ts';

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  resource: 'services',
  definition: 'io.k8s.api.core.v1.Service',
} as const;

const pod = { apiVersion: 'v1', kind: 'Pod', resource: 'pods', definition: 'io.k8s.api.core.v1.Pod' } as const;

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  resource: 'deployments',
  definition: 'io.k8s.api.apps.v1.Deployment',
  resetFields: { '': [['status']], status: [['spec'], ['metadata', 'labels']] },
} as const;

const networkPolicy = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  resource: 'networkpolicies',
  definition: 'io.k8s.api.networking.v1.NetworkPolicy',
} as const;

const resourceQuota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  resource: 'resourcequotas',
  definition: 'io.k8s.api.core.v1.ResourceQuota',
  resetFields: { '': [['status']], status: [['spec']] },
} as const;

function makeDeploymentSpec(containers: unknown[]): object {
  return {
    // Nothing runs, so that controllers write little.
    replicas: 0,
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers } },
  };
}

/** Keyed lists, atomic values, quantities and subresources. */
export const structuredScenarios: readonly ApplyScenario[] = [
  {
    ...service,
    title: 'ports are told apart by port and protocol',
    name: 'ports',
    resetFields: { '': [['status']], status: [['spec']] },
    steps: [
      {
        verb: 'apply',
        manager: 'one',
        body: {
          spec: {
            selector: { a: 'b' },
            ports: [
              { name: 'dns', port: 53, protocol: 'UDP' },
              { name: 'web', port: 80 },
            ],
          },
        },
      },
      {
        verb: 'apply',
        manager: 'two',
        body: { spec: { ports: [{ name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 'dns' }] } },
      },
      { verb: 'apply', manager: 'two', body: { spec: { ports: [{ name: 'other', port: 80 }] } } },
      { verb: 'apply', manager: 'one', body: { spec: { selector: { a: 'b' }, ports: [{ name: 'web', port: 80 }] } } },
      {
        verb: 'apply',
        manager: 'two',
        force: true,
        body: { spec: { selector: { c: 'd' }, ports: [{ name: 'x', port: 80, targetPort: 8080 }] } },
      },
      { verb: 'apply', manager: 'two', body: { spec: { ports: [{ name: 'x' }] } } },
      { verb: 'apply', manager: 'two', body: { spec: { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] } } },
      { verb: 'merge', manager: 'hand', body: { spec: { ports: [{ name: 'y', port: 81, protocol: 'TCP' }] } } },
      {
        verb: 'merge',
        manager: 'hand',
        subresource: 'status',
        body: {
          status: {
            conditions: [
              { type: 'T', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
            ],
          },
        },
      },
      {
        verb: 'apply',
        manager: 'lb',
        subresource: 'status',
        body: {
          spec: { type: 'NodePort' },
          status: {
            conditions: [
              { type: 'U', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
            ],
          },
        },
      },
    ],
  },
  {
    ...networkPolicy,
    title: 'selectors and rules are atomic',
    name: 'rules',
    steps: [
      { verb: 'create', manager: 'creator', body: { spec: { podSelector: {}, policyTypes: ['Ingress'] } } },
      { verb: 'apply', manager: 'one', body: { spec: { podSelector: { matchLabels: { a: 'b' } } } } },
      {
        verb: 'apply',
        manager: 'two',
        body: { spec: { podSelector: { matchLabels: { c: 'd' } }, ingress: [{ ports: [{ port: 80 }] }] } },
      },
      {
        verb: 'apply',
        manager: 'two',
        force: true,
        body: { spec: { podSelector: { matchLabels: { c: 'd' } }, ingress: [{ ports: [{ port: 80 }] }] } },
      },
      { verb: 'apply', manager: 'two', body: { spec: { podSelector: { matchLabels: { c: 'd' } } } } },
      { verb: 'apply', manager: 'one', body: { spec: { policyTypes: ['Egress', 'Ingress'] } } },
      { verb: 'update', manager: 'creator', edit: (o) => (o.spec.egress = [{}]) },
      { verb: 'update', manager: 'creator', edit: (o) => (o.spec.podSelector = {}) },
    ],
  },
  {
    ...resourceQuota,
    title: 'hard limits are granular, status is reset',
    name: 'hard',
    steps: [
      {
        verb: 'create',
        manager: 'creator',
        body: { spec: { hard: { pods: '10', 'requests.cpu': '1500m' } }, status: { hard: { pods: '99' } } },
      },
      { verb: 'apply', manager: 'one', body: { spec: { hard: { pods: 10, 'limits.cpu': '2' } } } },
      {
        verb: 'apply',
        manager: 'one',
        body: { spec: { hard: { pods: '10', 'limits.cpu': '2' } }, status: { hard: { pods: '3' } } },
      },
      {
        verb: 'merge',
        manager: 'hand',
        subresource: 'status',
        body: { spec: { hard: { pods: '7' } }, status: { used: { pods: '3' } } },
      },
      {
        verb: 'apply',
        manager: 'one',
        subresource: 'status',
        force: true,
        body: { spec: { hard: { pods: '7' } }, status: { used: { pods: '4' } } },
      },
      { verb: 'merge', manager: 'hand', body: { spec: { hard: { 'requests.cpu': '1500m', pods: '0.01k' } } } },
      { verb: 'update', manager: 'hand', edit: (o) => (o.spec.scopes = ['NotTerminating', 'NotBestEffort']) },
      { verb: 'merge', manager: 'hand', body: { spec: { hard: null } } },
    ],
  },
  {
    ...pod,
    title: 'containers, volumes and tolerations',
    name: 'pod',
    admittedFields: ['preemptionPolicy', 'priority', 'serviceAccount', 'serviceAccountName', 'tolerations'].map(
      (name) => ['spec', name],
    ),
    resetFields: {
      '': [['status']],
      status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
    },
    steps: [
      {
        verb: 'create',
        manager: 'creator',
        body: {
          spec: {
            nodeName: '',
            automountServiceAccountToken: false,
            containers: [
              {
                name: 'a',
                image: 'i',
                ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }],
                env: [{ name: 'E', value: '1' }],
              },
              {
                name: 'b',
                image: 'i',
                resources: { limits: { cpu: 1 } },
                livenessProbe: { httpGet: { path: '/', port: 'web' } },
              },
            ],
            volumes: [
              { name: 'v', emptyDir: {} },
              { name: 'w', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
            ],
          },
        },
      },
      { verb: 'strategic', manager: 'patcher', body: { spec: { containers: [{ name: 'b', image: 'j' }] } } },
      {
        verb: 'apply',
        manager: 'one',
        body: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'i' }] } },
      },
      {
        verb: 'apply',
        manager: 'one',
        body: {
          spec: {
            containers: [
              { name: 'a', image: 'k' },
              { name: 'b', image: 'k' },
            ],
          },
        },
      },
      {
        verb: 'strategic',
        manager: 'kubelet',
        subresource: 'status',
        body: {
          status: {
            conditions: [{ type: 'Ready', status: 'True' }],
            phase: 'Running',
            podIP: '10.0.0.1',
            podIPs: [{ ip: '10.0.0.1' }],
          },
        },
      },
      { verb: 'merge', manager: 'hand', body: { spec: { tolerations: [{ key: 'x', operator: 'Exists' }] } } },
      { verb: 'apply', manager: 'one', force: true, body: { spec: { containers: [{ name: 'b', image: 'l' }] } } },
    ],
  },
  {
    ...deployment,
    title: 'nested keyed lists are merged and pruned',
    name: 'nested',
    steps: [
      {
        verb: 'apply',
        manager: 'one',
        body: {
          metadata: { labels: { l: '1' } },
          spec: makeDeploymentSpec([
            {
              name: 'c',
              image: 'i',
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '1' },
              ],
            },
          ]),
        },
      },
      {
        verb: 'apply',
        manager: 'two',
        body: {
          spec: {
            template: {
              spec: {
                containers: [
                  {
                    name: 'c',
                    env: [
                      { name: 'B', value: '1' },
                      { name: 'C', value: '1' },
                    ],
                  },
                  { name: 'd', image: 'i' },
                ],
              },
            },
          },
        },
      },
      {
        verb: 'apply',
        manager: 'one',
        body: {
          spec: makeDeploymentSpec([
            { name: 'e', image: 'i' },
            { name: 'c', image: 'i', env: [{ name: 'Z', value: '1' }] },
          ]),
        },
      },
      {
        verb: 'apply',
        manager: 'two',
        body: { spec: { template: { spec: { containers: [{ name: 'd', image: 'i' }] } } } },
      },
      {
        verb: 'strategic',
        manager: 'hand',
        body: { spec: { template: { spec: { containers: [{ name: 'd', image: 'j' }] } } } },
      },
      {
        verb: 'apply',
        manager: 'two',
        body: { spec: { template: { spec: { containers: [{ name: 'd', image: 'k' }] } } } },
      },
      {
        verb: 'apply',
        manager: 'one',
        body: {
          spec: {
            replicas: 0,
            strategy: { type: 'RollingUpdate', rollingUpdate: null },
            selector: { matchLabels: { app: 'a' } },
            template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
      { verb: 'apply', manager: 'two', body: {} },
      {
        verb: 'merge',
        manager: 'hand',
        body: { spec: { template: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } } } },
      },
      {
        verb: 'merge',
        manager: 'hand',
        subresource: 'status',
        body: { metadata: { labels: { s: '1' } }, status: { collisionCount: 1 } },
      },
      {
        verb: 'apply',
        manager: 'three',
        body: { metadata: { annotations: { n: '1' } }, spec: { replicas: 1, paused: true } },
      },
      {
        verb: 'apply',
        manager: 'one',
        force: true,
        body: {
          spec: { ...makeDeploymentSpec([{ name: 'c', image: 'j' }]), strategy: { rollingUpdate: { maxSurge: 1 } } },
        },
      },
    ],
  },
];
