import {
  create,
  patch,
  read,
  remove,
  update,
  type DifferentialCase,
  type DifferentialStep,
} from '../differential-case.ts';
import { collections, makeConfigMap, makePod, makePolicy } from './api-objects.ts';

const { configMaps, deployments, ingressClasses, networkPolicies, pods, quotas } = collections;
const a = `${configMaps}/a`;

function listed(query: string): DifferentialStep {
  return read(`${networkPolicies}?${query}`);
}

function clear(query: string, body?: object): DifferentialStep {
  return remove(`${networkPolicies}${query}`, body);
}

/** Deletion: its options, finalizers, grace periods, and whole collections. */
export const deleteCases: readonly DifferentialCase[] = [
  {
    name: 'delete-preconditions',
    steps: [
      create(configMaps, makeConfigMap('a')),
      remove(a, { preconditions: { uid: 'x' } }),
      remove(a, { preconditions: { resourceVersion: '1' } }),
      remove(a, { preconditions: { uid: '{{1.metadata.uid}}', resourceVersion: '1' } }),
      remove(a, { preconditions: { uid: '{{1.metadata.uid}}', resourceVersion: '{{1.metadata.resourceVersion}}' } }),
      remove(a),
      remove(a, { preconditions: { uid: 'x' } }),
    ],
  },
  {
    name: 'delete-options',
    steps: [
      create(configMaps, makeConfigMap('a', {}, { finalizers: ['a/b'] })),
      ...[
        { propagationPolicy: 'Foo' },
        { propagationPolicy: 'Orphan', orphanDependents: true },
        { gracePeriodSeconds: -1 },
        { gracePeriodSeconds: 'x' },
        { kind: 'Foo' },
        { kind: 'DeleteOptions', apiVersion: 'foo/v1' },
        { dryRun: ['x'] },
        { dryRun: 'x' },
        '{',
        '[]',
      ].map((body) => remove(a, body)),
      ...['gracePeriodSeconds=x', 'propagationPolicy=x', 'orphanDependents=x&dryRun=All', 'dryRun=x'].map((query) =>
        remove(`${a}?${query}`),
      ),
    ],
  },
  {
    name: 'delete-bodies',
    steps: [
      { kind: 'DeleteOptions', apiVersion: 'v1' },
      { kind: 'DeleteOptions', apiVersion: 'policy/v1' },
      { foo: 1 },
      'null',
      { gracePeriodSeconds: 7 },
      { propagationPolicy: 'Background' },
      { propagationPolicy: 'Orphan' },
    ].flatMap((body, index) => [
      create(configMaps, makeConfigMap(`b${index}`)),
      remove(`${configMaps}/b${index}?gracePeriodSeconds=5`, body),
      read(`${configMaps}/b${index}`, { compares: 'nothing' }),
    ]),
  },
  {
    name: 'delete-with-yaml',
    steps: [
      create(configMaps, makeConfigMap('a')),
      remove(a, 'kind: DeleteOptions\napiVersion: v1\n', { headers: { 'content-type': 'application/yaml' } }),
      remove(a, 'a: b: c', { headers: { 'content-type': 'application/yaml' } }),
    ],
  },
  {
    name: 'delete-with-finalizers',
    steps: [
      create(configMaps, makeConfigMap('a', {}, { finalizers: ['x/y'] })),
      remove(a, { dryRun: ['All'] }),
      read(a),
      remove(a),
      remove(a),
      remove(a, { preconditions: { uid: '{{1.metadata.uid}}' } }),
      update(a, makeConfigMap('a', { data: { z: '1' } }, { finalizers: ['x/y'] })),
      patch('merge', a, { metadata: { finalizers: ['x/y', 'z/w'] } }),
      create(configMaps, makeConfigMap('a')),
      patch('merge', `${a}?dryRun=All`, { metadata: { finalizers: null } }),
      patch('merge', a, { metadata: { finalizers: null } }),
      read(a),
      create(configMaps, makeConfigMap('b', {}, { finalizers: ['x/y'] })),
      remove(`${configMaps}/b`, { gracePeriodSeconds: 10 }),
      update(`${configMaps}/b`, makeConfigMap('b')),
      read(`${configMaps}/b`),
    ],
  },
  {
    name: 'delete-pods-gracefully',
    steps: [
      create(pods, makePod('p', { nodeName: 'n1' })),
      remove(`${pods}/p`),
      read(`${pods}/p`),
      remove(`${pods}/p`, { gracePeriodSeconds: 5 }),
      remove(`${pods}/p`, { gracePeriodSeconds: 50 }),
      remove(`${pods}/p`, { gracePeriodSeconds: 0 }),
      read(`${pods}/p`),
      create(pods, makePod('q')),
      remove(`${pods}/q`),
      read(`${pods}/q`),
      create(pods, makePod('r', { terminationGracePeriodSeconds: 0 })),
      remove(`${pods}/r`),
      create(pods, makePod('s', { nodeName: 'n1' }, { finalizers: ['a/b'] })),
      remove(`${pods}/s?gracePeriodSeconds=0`),
      patch('merge', `${pods}/s`, { metadata: { finalizers: null } }),
      read(`${pods}/s`),
    ],
  },
  {
    name: 'delete-collections',
    steps: [
      ...['a', 'b', 'c', 'd', 'e'].map((name, index) =>
        create(networkPolicies, makePolicy(name, {}, { labels: { odd: index % 2 === 0 ? 'no' : 'yes' } })),
      ),
      clear('?labelSelector=odd%3Dyes'),
      listed('labelSelector=odd'),
      clear('?fieldSelector=metadata.name%3Da'),
      listed(''),
      clear('?dryRun=All'),
      listed(''),
      clear('?limit=1'),
      listed(''),
      remove(`${networkPolicies}?resourceVersion=x`),
      remove(`${networkPolicies}?labelSelector=(`),
      remove(networkPolicies, { propagationPolicy: 'x' }),
      remove(`${networkPolicies}?gracePeriodSeconds=x`),
      remove(networkPolicies, { preconditions: { uid: 'x' } }),
      clear(''),
      listed(''),
      clear(''),
      remove('/api/v1/configmaps'),
      remove('/apis/networking.k8s.io/v1/networkpolicies'),
      ...[deployments, pods, quotas, '/api/v1/namespaces/absent-namespace/configmaps'].map((path) => remove(path)),
      remove(`${ingressClasses}?labelSelector=absent%3D{{case}}`),
      remove('/api/v1/namespaces'),
    ],
  },
];
