import { create, patch, read, remove, update, type DifferentialCase } from '../differential-case.ts';
import {
  apply,
  collections,
  makeBudget,
  makeConfigMap,
  makeDeployment,
  makeIngress,
  makeIngressRule,
  makePolicy,
} from './api-objects.ts';

const { configMaps, deployments, ingresses, limitRanges, networkPolicies, budgets, ingressClasses } = collections;
const force = '&force=true';
const a = `${configMaps}/a`;

function data(members: unknown, metadata: object = {}): object {
  return makeConfigMap('a', { data: members }, metadata);
}

function ingress(spec: object): object {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'i' }, spec };
}

function limits(item: object): object {
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' }, spec: { limits: [item] } };
}

function owner(uid: string, name: string): object {
  return { apiVersion: 'v1', kind: 'Secret', name, uid };
}

function condition(type: string, status: string): object {
  return { type, status, reason: 'R', message: 'm', lastTransitionTime: '2024-01-01T00:00:00Z' };
}

function entry(more: object): object {
  const common = { manager: 'zz', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
  return { metadata: { managedFields: [{ ...common, fieldsV1: { 'f:data': {} }, ...more }] } };
}

/** Server-side apply: who owns which field, and who may change it. */
export const applyCases: readonly DifferentialCase[] = [
  {
    name: 'apply-creates-and-removes-fields',
    steps: [
      apply(a, 'm', data({ x: '1', y: '2' })),
      apply(a, 'm', data({ x: '1', y: '2' })),
      apply(a, 'm', data({ x: '1' })),
      apply(a, 'n', data({ z: '1' })),
      apply(a, 'n', data({ x: '1', z: '1' })),
      apply(a, 'm', makeConfigMap('a')),
      apply(a, 'n', makeConfigMap('a')),
      read(a),
    ],
  },
  {
    name: 'apply-conflicts',
    steps: [
      apply(a, 'm', data({ x: '1' })),
      apply(a, 'n', data({ x: '2' })),
      apply(a, 'n', data({ x: '2' }), force),
      apply(a, 'm', data({ x: '1' })),
      update(a, data({ x: '4' })),
      apply(a, 'n', data({ x: '3' })),
      create(ingresses, makeIngress('i', { ingressClassName: 'x' })),
      apply(`${ingresses}/i`, 'n', ingress({ rules: [makeIngressRule('c.d')], ingressClassName: 'y' })),
      apply(`${ingresses}/i`, 'n', ingress({ rules: [makeIngressRule('c.d')], ingressClassName: 'y' }), force),
      apply(`${budgets}/b`, 'm', makeBudget('b', { minAvailable: 1 })),
      apply(`${budgets}/b`, 'o', makeBudget('b', { selector: { matchLabels: { a: 'b' } } })),
      apply(`${budgets}/b`, 'n', makeBudget('b', { minAvailable: 2, selector: { matchLabels: { a: 'c' } } })),
      apply(`${budgets}/b`, 'n', makeBudget('b', { minAvailable: 2, selector: { matchLabels: { a: 'c' } } }), force),
    ],
  },
  {
    name: 'apply-metadata',
    steps: [
      apply(a, 'm', data({ x: '1' }, { resourceVersion: '1' })),
      apply(a, 'm', data({ x: '1' }, { uid: '00000000-0000-0000-0000-000000000001' })),
      apply(a, 'm', data({ x: '1' }, { namespace: 'other' })),
      apply(a, 'm', data({ x: '1' }, { managedFields: [{ manager: 'x' }] })),
      apply(a, 'm', makeConfigMap('b')),
      apply(a, 'm', data({ x: '1' })),
      apply(a, 'm', data({ x: '2' }, { resourceVersion: '1' })),
      apply(a, 'm', data({ x: '2' }, { resourceVersion: '{{6.metadata.resourceVersion}}' })),
      apply(a, 'm', data({ x: '2' }, { resourceVersion: 'zz' })),
      apply(a, 'm', data({ x: '1' }, { uid: '00000000-0000-0000-0000-000000000001' })),
      apply(a, 'm', data({ x: '1' }, { uid: '{{6.metadata.uid}}' })),
      apply(a, 'm', data({ x: '1' }, { namespace: 'other' })),
      apply(a, 'm', data({ x: '1' }, { managedFields: [] })),
      apply(a, 'm', makeConfigMap('b')),
      apply(a, 'm', { apiVersion: 'v1', kind: 'ConfigMap', data: { x: '1' } }),
    ],
  },
  {
    name: 'apply-types',
    steps: [
      ...[
        { apiVersion: 'v1', metadata: { name: 'a' } },
        { kind: 'ConfigMap', metadata: { name: 'a' } },
        {},
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
        { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } },
        { apiVersion: 'x/v1', kind: 'Foo', metadata: { name: 'a' } },
        ...['', 'null', '[]', '"x"', '1'],
      ].flatMap((body) => [apply(a, 'm', body), apply(`${configMaps}/kube-root-ca.crt`, 'm', body)]),
      apply(
        a,
        'm',
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n  y: |\n    two\n    lines\n',
      ),
      apply(a, 'm', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: 1\n'),
    ],
  },
  {
    name: 'apply-refuses-fields',
    steps: [
      ...['', '&fieldValidation=Strict', '&fieldValidation=Warn', '&fieldValidation=Ignore'].flatMap((query) => [
        apply(a, 'm', { ...data({ x: '1' }), foo: 1 }, query),
        apply(a, 'm', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","x":"2"}}', query),
      ]),
      apply(a, 'm', data({ x: 1 })),
      apply(a, 'm', data('x')),
      apply(a, 'm', makeConfigMap('a', { binaryData: { a: '%%' } })),
      apply(a, 'm', data({ x: null, y: '1' })),
      apply(a, 'm', data(null)),
      apply(a, 'm', data({}, { labels: null, annotations: {} })),
      apply(a, 'm', data({}, { creationTimestamp: 'x' })),
      apply(`${ingresses}/i`, 'm', ingress({ rules: [makeIngressRule('a.b')], foo: {} })),
      apply(`${ingresses}/i`, 'm', ingress({ rules: [{ ...makeIngressRule('a.b'), x: 1 }] })),
      apply(`${ingresses}/i`, 'm', ingress({ rules: 'x' })),
      apply(`${ingresses}/i`, 'm', ingress({ rules: [1] })),
      apply(`${ingresses}/i`, 'm', ingress({})),
      apply(`${ingresses}/i`, 'm', ingress({ rules: [makeIngressRule('_')] })),
    ],
  },
  {
    name: 'apply-lists',
    steps: [
      apply(`${deployments}/d`, 'm', makeDeployment('d', [{ name: 'c', image: 'x', ports: [{ containerPort: 80 }] }])),
      apply(`${deployments}/d`, 'n', makeDeployment('d', [{ name: 'e', image: 'y' }])),
      apply(`${deployments}/d`, 'n', makeDeployment('d', [{ name: 'c', image: 'z' }])),
      apply(`${deployments}/d`, 'n', makeDeployment('d', [{ name: 'c', env: [{ name: 'A', value: '1' }] }]), force),
      apply(`${deployments}/d`, 'm', makeDeployment('d', [{ name: 'c', image: 'x', ports: [{ containerPort: 81 }] }])),
      apply(`${deployments}/d`, 'n', makeDeployment('d', [])),
      apply(
        `${deployments}/e`,
        'm',
        makeDeployment('e', [
          { name: 'c', image: 'x' },
          { name: 'c', image: 'y' },
        ]),
      ),
      apply(`${deployments}/e`, 'm', makeDeployment('e', [{ image: 'x' }])),
      apply(a, 'm', data({}, { finalizers: ['a/b'], ownerReferences: [owner('u1', 'o')] })),
      apply(a, 'n', data({}, { finalizers: ['c/d'], ownerReferences: [owner('u2', 'p')] })),
      apply(a, 'n', data({}, { ownerReferences: [owner('u1', 'q')] })),
      apply(a, 'n', data({}, { finalizers: ['c/d', 'c/d'] })),
      apply(a, 'm', makeConfigMap('a')),
      apply(a, 'n', makeConfigMap('a')),
    ],
  },
  {
    name: 'apply-atomic-fields-and-quantities',
    steps: [
      apply(`${networkPolicies}/p`, 'm', makePolicy('p', { podSelector: { matchLabels: { a: 'b' } } })),
      apply(`${networkPolicies}/p`, 'n', makePolicy('p', { podSelector: { matchLabels: { c: 'd' } } })),
      apply(`${networkPolicies}/p`, 'n', makePolicy('p', { podSelector: { matchLabels: { a: 'b' } }, ingress: [{}] })),
      apply(`${networkPolicies}/p`, 'o', makePolicy('p', { podSelector: { matchLabels: { a: 'b' } }, ingress: [] })),
      apply(`${limitRanges}/l`, 'm', limits({ type: 'Container', max: { cpu: '1000m' }, default: { cpu: 0.5 } })),
      apply(`${limitRanges}/l`, 'n', limits({ type: 'Container', max: { cpu: '1' } })),
      apply(`${limitRanges}/l`, 'm', limits({ type: 'Container', max: { cpu: '1' } })),
      apply(`${limitRanges}/l`, 'm', limits({ type: 'Container', max: { cpu: true } })),
    ],
  },
  {
    name: 'apply-status',
    steps: [
      apply(`${budgets}/b/status`, 's', makeBudget('b', undefined, { status: { currentHealthy: 3 } })),
      apply(`${budgets}/b`, 'm', makeBudget('b', { minAvailable: 1 }, { status: { currentHealthy: 3 } })),
      apply(`${budgets}/b/status`, 's', makeBudget('b', undefined, { status: { currentHealthy: 3, expectedPods: 3 } })),
      apply(`${budgets}/b/status`, 's', makeBudget('b', { minAvailable: 2 }, { status: { currentHealthy: 4 } })),
      apply(`${budgets}/b/status`, 't', makeBudget('b', { minAvailable: 2 }, { status: { currentHealthy: 5 } })),
      update(`${budgets}/b/status`, makeBudget('b', { minAvailable: 7 }, { status: { currentHealthy: 5 } })),
      apply(
        `${budgets}/b/status`,
        's',
        makeBudget('b', undefined, { status: { conditions: [condition('A', 'True')] } }),
      ),
      apply(
        `${budgets}/b/status`,
        't',
        makeBudget('b', undefined, { status: { conditions: [condition('B', 'True')] } }),
      ),
      apply(
        `${budgets}/b/status`,
        't',
        makeBudget('b', undefined, { status: { conditions: [condition('A', 'False')] } }),
      ),
      read(`${budgets}/b`),
    ],
  },
  {
    name: 'apply-among-other-writes',
    steps: [
      apply(a, 'm', data({ x: '1' }), '&dryRun=All'),
      read(a),
      apply(a, 'm', data({ x: '1' })),
      apply(a, 'm', data({ x: '2' }), '&dryRun=All'),
      patch('merge', `${a}?fieldManager=p`, { data: { x: '2', y: '1' } }),
      patch('json', `${a}?fieldManager=q`, [{ op: 'add', path: '/data/z', value: '1' }]),
      patch('strategic', `${a}?fieldManager=p`, { data: { y: null } }),
      update(`${a}?fieldManager=u`, data({ z: '2' })),
      read(a),
      patch('merge', a, { metadata: { managedFields: [] } }),
      apply(a, 'm', data({ x: '2' })),
      patch('merge', a, { metadata: { managedFields: [{}] } }),
      apply(a, 'm', data({ x: '3' })),
      patch('merge', a, { metadata: { finalizers: ['a/b'] } }),
      remove(a),
      apply(a, 'm', data({ x: '2' })),
      apply(a, 'm', data({ x: '2' }, { finalizers: ['c/d'] })),
      patch('merge', a, { metadata: { finalizers: null } }),
      read(a),
    ],
  },
  {
    name: 'managed-fields-as-sent',
    steps: [
      create(configMaps, data({ x: '1' })),
      ...[
        {},
        { operation: 'Apply' },
        { operation: 'Nope' },
        { fieldsType: 'FieldsV2' },
        { fieldsV1: { 'q:x': {} } },
        { apiVersion: 'v9' },
        { manager: 'y'.repeat(200) },
        { subresource: 'y'.repeat(300) },
        { manager: '' },
        { time: 'x' },
      ].map((more) => patch('merge', a, entry(more))),
      update(a, { ...data({ x: '2' }), ...entry({ operation: 'Nope' }) }),
      create(configMaps, makeConfigMap('b', {}, { managedFields: [{ manager: '', operation: '' }] })),
      create(configMaps, makeConfigMap('c', {}, { managedFields: [] })),
    ],
  },
  {
    name: 'managers-of-writes',
    steps: [
      ...['kubectl/v1.2 (linux) foo', '', 'x'.repeat(200), 'a b/c', '/'].map((agent, index) =>
        create(configMaps, makeConfigMap(`u${index}`, { data: { a: 'b' } }), { headers: { 'user-agent': agent } }),
      ),
      ...['mine', '', 'a%20b', '%C3%BC', 'a%0Ab', 'x'.repeat(128)].map((manager, index) =>
        create(`${configMaps}?fieldManager=${manager}`, makeConfigMap(`m${index}`, { data: { a: 'b' } })),
      ),
    ],
  },
  {
    name: 'apply-cluster-scoped',
    steps: [
      apply(`${ingressClasses}/{{case}}`, 'm', ingressClass({})),
      apply(`${ingressClasses}/{{case}}`, 'm', ingressClass({ namespace: 'x' })),
      remove(`${ingressClasses}/{{case}}`),
    ],
  },
];

function ingressClass(metadata: object): object {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: '{{case}}', ...metadata },
    spec: { controller: 'a.b/c' },
  };
}
