import { create, patch, read, remove, update, type DifferentialCase } from '../differential-case.ts';
import { apply, collections, makeConfigMap, makeDeployment, makeIngress, makePod, makePolicy } from './api-objects.ts';

const { configMaps, deployments, ingresses, networkPolicies: path, pods } = collections;
const a = `${configMaps}/a`;

/** Applies and subresources at the edges of what they take. */
export const oddApplyCases: readonly DifferentialCase[] = [
  {
    name: 'apply-edges',
    steps: [
      apply(a, 'm', makeConfigMap('a', { data: { x: '1' } }, { labels: { k: 'v' }, annotations: { q: 'r' } })),
      apply(a, 'm', makeConfigMap('a', { data: { x: '1' } }), '&force=false'),
      apply(a, 'm', makeConfigMap('a', { data: { x: '2' } }), '&force=x'),
      apply(a, 'm', makeConfigMap('a', { data: { x: '2' } }), '&force='),
      apply(a, '', makeConfigMap('a')),
      apply(a, 'm%00', makeConfigMap('a')),
      apply(a, 'x'.repeat(128), makeConfigMap('a', { data: { x: '2' } })),
      apply(a, 'x'.repeat(129), makeConfigMap('a')),
      patch('apply', `${a}?fieldManager=m`, { metadata: { name: 'a' }, data: { x: '1' } }),
      patch('apply', `${a}?fieldManager=m`, makeConfigMap('a', {}, { managedFields: null })),
      apply(`${configMaps}/none`, 'm', makeConfigMap('none', {}, { resourceVersion: '1' })),
      apply(`${configMaps}/none`, 'm', makeConfigMap('none', {}, { generateName: 'x-' })),
      apply(`${configMaps}/Bad_Name`, 'm', makeConfigMap('Bad_Name')),
      apply(a, 'n', makeConfigMap('a', {}, { labels: { k: 'w' } })),
      apply(a, 'n', makeConfigMap('a', {}, { labels: { k: 'w' }, annotations: { q: 's' } })),
      apply(a, 'n', makeConfigMap('a', {}, { labels: { k: 'w' }, annotations: { q: 's' } }), '&force=true'),
      apply(a, 'm', makeConfigMap('a', { data: { x: '1' } }, { labels: { k: 'v' } })),
      update(`${a}?fieldManager=u`, makeConfigMap('a', { data: { x: '7' } })),
      apply(a, 'm', makeConfigMap('a', { data: { x: '1' } })),
      apply(a, 'u', makeConfigMap('a', { data: { x: '7' } })),
      patch('merge', `${a}?fieldManager=m`, { data: { x: '8' } }),
      apply(a, 'm', makeConfigMap('a', { data: { x: '9' } })),
      apply(a, 'm', makeConfigMap('a', {}, { deletionTimestamp: '2020-01-01T00:00:00Z' })),
      apply(
        a,
        'm',
        makeConfigMap('a', {}, { creationTimestamp: '2020-01-01T00:00:00Z', generation: 4, selfLink: '/x' }),
      ),
      read(a),
      patch('merge', a, {
        metadata: {
          managedFields: [
            {
              manager: 'm',
              operation: 'Apply',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:x': {} } },
            },
          ],
        },
      }),
      apply(a, 'm', makeConfigMap('a')),
      read(a),
      patch('json', a, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]),
      update(a, makeConfigMap('a', { data: { z: '1' } }, { managedFields: [{}] })),
      read(a),
      apply(`${deployments}/d`, 'm', makeDeployment('d', [{ name: 'c', image: 'x' }], { replicas: 2 })),
      patch('merge', `${deployments}/d/scale?fieldManager=hpa`, { spec: { replicas: 5 } }),
      apply(`${deployments}/d`, 'm', makeDeployment('d', [{ name: 'c', image: 'x' }], { replicas: 2 })),
      apply(`${deployments}/d`, 'm', makeDeployment('d', [{ name: 'c', image: 'x' }])),
      apply(`${deployments}/d/status`, 'm', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        status: { replicas: 1 },
      }),
      apply(`${deployments}/d/status`, 'm', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { replicas: 9 },
      }),
      apply(`${deployments}/d/scale`, 'm', {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd' },
        spec: { replicas: 6 },
      }),
      read(`${deployments}/d`),
      remove(`${deployments}/d`, { propagationPolicy: 'Foreground' }),
      read(`${deployments}/d`, { until: (b) => b?.code === 404 }),
      apply(
        `${pods}/p`,
        'm',
        makePod('p', {
          containers: [
            { name: 'c', image: 'x', ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }] },
          ],
        }),
      ),
      apply(
        `${pods}/p`,
        'n',
        makePod('p', { containers: [{ name: 'c', image: 'z' }], tolerations: [{ key: 'a', operator: 'Exists' }] }),
      ),
      apply(
        `${pods}/q`,
        'n',
        makePod('q', {
          containers: [{ name: 'c', image: 'z', ports: [{ containerPort: 80 }, { containerPort: 80 }] }],
        }),
      ),
      apply('/api/v1/namespaces/{{ns}}', 'm', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: '{{ns}}', labels: { a: 'b' } },
      }),
      apply(`${path}/x`, 'm', makePolicy('x', { ingress: null, egress: [] })),
      apply(`${path}/x`, 'n', makePolicy('x', { policyTypes: ['Egress', 'Ingress'] })),
    ],
  },
  {
    name: 'status-and-scale-edges',
    steps: [
      create(ingresses, makeIngress('i')),
      patch('json', `${ingresses}/i/status`, [
        { op: 'add', path: '/status/loadBalancer/ingress', value: [{ ip: '1.2.3.4' }] },
      ]),
      patch('strategic', `${ingresses}/i/status`, {
        status: { loadBalancer: { ingress: [{ ip: '1.2.3.5', ports: [{ port: 80, protocol: 'TCP' }] }] } },
      }),
      patch('merge', `${ingresses}/i/status?fieldValidation=Strict`, { status: { foo: 1 } }),
      patch('merge', `${ingresses}/i/status?dryRun=All`, { status: null }),
      patch('merge', `${ingresses}/i/status`, {
        metadata: {
          finalizers: ['a/b'],
          labels: { s: 't' },
          annotations: { u: 'v' },
          ownerReferences: [{ apiVersion: 'v1', kind: 'S', name: 'n', uid: 'u' }],
        },
      }),
      patch('merge', `${ingresses}/i/status`, { metadata: { resourceVersion: '1' } }),
      patch('merge', `${ingresses}/i/status`, { metadata: { name: 'z' } }),
      patch('merge', `${ingresses}/i/status`, { kind: 'Foo' }),
      update(`${ingresses}/i/status`, { status: {} }),
      update(`${ingresses}/i/status`, {}),
      read(`${ingresses}/i/status?resourceVersion=x`),
      read(`${ingresses}/i/status?dryRun=All`),
      read(`${ingresses}/i`),
      { method: 'HEAD', path: `${ingresses}/i/status` },
      create(deployments, makeDeployment('d')),
      ...[
        { spec: { replicas: null } },
        { spec: {} },
        {},
        { spec: { replicas: 2 ** 31 } },
        { spec: { replicas: 1.5 } },
        { metadata: { labels: { a: 'b' } }, spec: { replicas: 2 } },
        { kind: 'Deployment' },
        { apiVersion: 'autoscaling/v2' },
        { metadata: { namespace: 'x' } },
        { spec: { replicas: -1 } },
        { spec: 5 },
        [],
        null,
      ].flatMap((b) => [
        patch('merge', `${deployments}/d/scale`, b === null ? 'null' : b),
        update(`${deployments}/d/scale`, b === null ? 'null' : b),
      ]),
      patch('json', `${deployments}/d/scale`, [{ op: 'test', path: '/spec/replicas', value: 77 }]),
      patch('json', `${deployments}/d/scale`, [{ op: 'remove', path: '/spec/replicas' }]),
      create(`${deployments}/d/scale`, {}),
      remove(`${deployments}/d/scale`),
      read(`${deployments}/d/scale?resourceVersion=99999999`),
      update(`${deployments}/d/scale?dryRun=x`, {}),
      update(`${deployments}/d/scale?fieldValidation=Strict`, '{"spec":{"replicas":1,"replicas":2},"foo":1}'),
      update(`${deployments}/d/scale`, 'spec:\n  replicas: 3\n', { headers: { 'content-type': 'application/yaml' } }),
    ],
  },
];
