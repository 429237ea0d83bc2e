import { create, patch, read, remove, update, type DifferentialCase } from '../differential-case.ts';
import { collections, makeConfigMap, makeDeployment, makeIngress, makePod } from './api-objects.ts';

const { deployments, ingresses, pods } = collections;
const scale = `${deployments}/d/scale`;
const namespace = '/api/v1/namespaces/{{case}}-b';
const table = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } };

function makeScale(replicas: unknown, metadata: object = {}): object {
  return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd', ...metadata }, spec: { replicas } };
}

function bind(name: string, kind = 'Node'): object {
  return { metadata: { name }, target: { kind, name: 'n1' } };
}

/** Subresources: status, scale, bindings, evictions, and the end of namespaces. */
export const subresourceCases: readonly DifferentialCase[] = [
  {
    name: 'status-of-ingresses',
    steps: [
      create(ingresses, makeIngress('i')),
      read(`${ingresses}/i/status`),
      update(`${ingresses}/i/status`, { metadata: { name: 'i', resourceVersion: '1' } }),
      update(`${ingresses}/none/status`, makeIngress('none')),
      read(`${ingresses}/none/status`),
      read(`${ingresses}/i/foo`),
      patch('merge', `${ingresses}/i/status`, { status: { loadBalancer: { ingress: [{ hostname: 'a.b' }] } } }),
      patch('merge', `${ingresses}/i/status`, { spec: { ingressClassName: 'zz' } }),
      remove(`${ingresses}/i/status`),
      read(`${ingresses}/i/status?watch=1`),
    ],
  },
  {
    name: 'scales',
    steps: [
      create(deployments, makeDeployment('d')),
      read(scale),
      update(scale, makeScale(4)),
      update(scale, makeScale(-4)),
      update(scale, makeScale(4, { name: 'x' })),
      update(scale, makeDeployment('d')),
      update(scale, makeScale(2, { resourceVersion: '1' })),
      update(scale, makeScale(2, { uid: 'x' })),
      patch('merge', scale, { spec: { replicas: 2 } }),
      patch('json', scale, [{ op: 'replace', path: '/spec/replicas', value: 7 }]),
      patch('strategic', scale, { spec: { replicas: 3 } }),
      patch('merge', scale, { spec: { replicas: 'x' } }),
      patch('merge', scale, { foo: 1 }),
      patch('merge', `${scale}?fieldValidation=Strict`, { foo: 1 }),
      patch('merge', scale, { status: { replicas: 9 } }),
      patch('merge', scale, {}),
      patch('merge', scale, 'x'),
      patch('merge', `${scale}?dryRun=All`, { spec: { replicas: 1 } }),
      patch('apply', `${scale}?fieldManager=s`, makeScale(4)),
      patch('apply', `${scale}?fieldManager=s&force=true`, makeScale(4)),
      patch('apply', `${scale}?fieldManager=z`, makeScale(2)),
      read(`${deployments}/d`),
      read(scale, { ...table, ignores: ['columnDefinitions.*.description', 'rows.*.cells'] }),
      ...['merge', 'json', 'apply'].map((type) =>
        patch(type as 'merge', `${deployments}/none/scale?fieldManager=m`, type === 'json' ? [] : {}),
      ),
      patch('merge', `${deployments}/none/scale`, 'x'),
      update(`${deployments}/none/scale`, makeScale(1, { name: 'none' })),
      read(`${deployments}/none/scale`),
    ],
  },
  {
    name: 'bindings-and-evictions',
    steps: [
      create(pods, makePod('p')),
      create(`${pods}/p/binding`, bind('p')),
      create(`${pods}/p/binding`, bind('p')),
      create('/api/v1/namespaces/{{ns}}/bindings', bind('p')),
      create(`${pods}/none/binding`, bind('none')),
      create(`${pods}/p/binding`, bind('p', 'Foo')),
      create(`${pods}/p/eviction?dryRun=All`, { metadata: { name: 'p' } }),
      create(`${pods}/p/eviction`, { metadata: { name: 'q' } }),
      create(`${pods}/none/eviction`, { metadata: { name: 'none' } }),
      create(`${pods}/p/eviction`, { metadata: { name: 'p' }, deleteOptions: { gracePeriodSeconds: 0 } }),
      read(`${pods}/p`),
    ],
  },
  {
    name: 'namespaces-and-their-end',
    steps: [
      create('/api/v1/namespaces', { metadata: { name: '{{case}}-b', finalizers: ['x/y'] } }),
      patch('merge', namespace, { metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } } }),
      patch('merge', namespace, { metadata: { labels: { 'kubernetes.io/metadata.name': null } } }),
      patch('merge', namespace, { spec: { finalizers: null } }),
      update(`${namespace}/finalize`, {
        metadata: { name: '{{case}}-b' },
        spec: { finalizers: ['kubernetes', 'a/b'] },
      }),
      update(`${namespace}/finalize`, { metadata: { name: 'q' }, spec: {} }),
      update(`${namespace}/status`, { metadata: { name: '{{case}}-b' }, status: { phase: 'Terminating' } }),
      remove(namespace, undefined, { ignores: ['metadata.managedFields', 'status.conditions'] }),
      create(`${namespace}/configmaps`, makeConfigMap('a')),
      create('/api/v1/namespaces', { metadata: { name: '{{case}}-b' } }),
      create('/api/v1/namespaces', { metadata: { name: 'Bad' } }),
      create('/api/v1/namespaces', { metadata: {} }),
      create('/api/v1/namespaces', { metadata: { name: 'x', namespace: 'y' } }),
      remove('/api/v1/namespaces/default'),
      remove('/api/v1/namespaces/kube-system'),
    ],
  },
];
