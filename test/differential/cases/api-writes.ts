import { create, patch, read, remove, update, type DifferentialCase } from '../differential-case.ts';
import {
  collections,
  makeBudget,
  makeConfigMap,
  makeDeployment,
  makeIngress,
  makePod,
  makePolicy,
} from './api-objects.ts';

const { configMaps, deployments, ingresses, ingressClasses, limitRanges, networkPolicies, pods, budgets, quotas } =
  collections;
const a = `${configMaps}/a`;
const namespaces = '/api/v1/namespaces';

function data(members: object, metadata: object = {}): object {
  return makeConfigMap('a', { data: members }, metadata);
}

function owner(name: string, more: object = {}): object {
  return { apiVersion: 'v1', kind: 'Pod', name, uid: `uid-${name}`, ...more };
}

/** What creates and updates make of what a client says of an object. */
export const writeCases: readonly DifferentialCase[] = [
  {
    name: 'create-and-create-again',
    steps: [
      create(configMaps, data({ x: '1' })),
      create(configMaps, data({ x: '1' })),
      create(`${configMaps}?dryRun=All`, data({ x: '1' })),
      create(configMaps, { metadata: { name: 'b' } }),
      create(configMaps, { kind: 'ConfigMap', metadata: { name: 'c' } }),
      create(configMaps, { apiVersion: 'v1', metadata: { name: 'd' } }),
      read(a),
    ],
  },
  {
    name: 'create-names',
    steps: [
      ...['', 'A', 'a_b', 'a/b', '.', '..', 'a%b', '-a', 'a.', 'a..b', 'x'.repeat(254), 'x'.repeat(253)].map((name) =>
        create(configMaps, makeConfigMap(name)),
      ),
      create(configMaps, { metadata: { generateName: 'g-' } }),
      create(configMaps, { metadata: { generateName: 'g-', name: 'n' } }),
      create(configMaps, { metadata: { generateName: 'y'.repeat(50) } }),
      create(configMaps, { metadata: { generateName: '' } }),
      create(configMaps, { metadata: {} }),
      create(`${configMaps}?dryRun=All`, { metadata: { generateName: 'g-' } }),
    ],
  },
  {
    name: 'create-namespaces-of-bodies',
    steps: [
      create(configMaps, makeConfigMap('a', {}, { namespace: 'other' })),
      create(configMaps, makeConfigMap('a', {}, { namespace: '{{ns}}' })),
      create(configMaps, makeConfigMap('b', {}, { namespace: '' })),
      create('/api/v1/namespaces/absent-namespace/configmaps', makeConfigMap('a')),
      create('/api/v1/namespaces/Bad_Namespace/configmaps', makeConfigMap('a')),
      create('/api/v1/configmaps', makeConfigMap('a')),
      update(a, makeConfigMap('a', {}, { namespace: 'other' })),
      update('/api/v1/namespaces/absent-namespace/configmaps/a', makeConfigMap('a')),
      create(ingressClasses, { metadata: { name: '{{case}}', namespace: 'x' }, spec: { controller: 'a.b/c' } }),
      remove(`${ingressClasses}/{{case}}`),
    ],
  },
  {
    name: 'metadata-of-the-server',
    steps: [
      create(
        configMaps,
        data(
          {},
          {
            uid: '00000000-0000-0000-0000-000000000001',
            creationTimestamp: '2001-01-01T00:00:00Z',
            generation: 7,
            selfLink: '/x',
            deletionTimestamp: '2001-01-01T00:00:00Z',
            deletionGracePeriodSeconds: 5,
          },
        ),
      ),
      update(a, data({ z: '1' }, { generation: 9, selfLink: '/x', creationTimestamp: '2001-01-01T00:00:00Z' })),
      update(a, data({ z: '1' }, { deletionTimestamp: '2001-01-01T00:00:00Z' })),
      update(a, data({ z: '1' }, { deletionGracePeriodSeconds: 5 })),
      read(a),
    ],
  },
  {
    name: 'versions-of-creates',
    steps: [
      ...['5', 'x', '-1', '0', '99999999999999999999999'].map((version, index) =>
        create(configMaps, makeConfigMap(`v${index}`, {}, { resourceVersion: version })),
      ),
      create(`${configMaps}?dryRun=All`, data({}, { resourceVersion: '5' })),
      update(`${configMaps}/w`, makeConfigMap('w', {}, { resourceVersion: '5' })),
      update(`${configMaps}/w`, makeConfigMap('w', {}, { uid: 'x' })),
    ],
  },
  {
    name: 'versions-of-updates',
    steps: [
      create(configMaps, data({ x: '1' })),
      update(a, data({ x: '2' })),
      update(a, data({ x: '2' })),
      ...[
        '{{1.metadata.resourceVersion}}',
        '{{2.metadata.resourceVersion}}',
        '0',
        'zz',
        '-1',
        '99999999999999999999999',
      ].map((version) => update(a, data({ x: '3' }, { resourceVersion: version }))),
      update(a, data({ x: '3' }, { uid: '00000000-0000-0000-0000-000000000001' })),
      update(a, data({ x: '3' }, { uid: '{{1.metadata.uid}}' })),
      update(a, makeConfigMap('b')),
      update(a, { data: { x: '4' } }),
      update(a, { metadata: {} }),
      update(configMaps, data({})),
      update(a, ''),
      update(a, '[]'),
      create(budgets, makeBudget('b', { minAvailable: 1 })),
      update(`${budgets}/b`, makeBudget('b', { minAvailable: 2 })),
    ],
  },
  {
    name: 'updates-of-what-is-not-there',
    steps: [
      update(`${limitRanges}/l`, { metadata: { name: 'l' }, spec: { limits: [{ type: 'Pod' }] } }),
      update(`${quotas}/q`, { metadata: { name: 'q' }, spec: {} }),
      update(`${ingresses}/i`, makeIngress('i')),
      update(`${ingresses}/i/status`, makeIngress('i')),
      update(`${networkPolicies}/p`, makePolicy('p')),
      update(`${budgets}/b`, makeBudget('b', {})),
      update(`${pods}/p`, makePod('p')),
      update(`${deployments}/d`, makeDeployment('d')),
      update(`${ingressClasses}/{{case}}`, { metadata: { name: '{{case}}' }, spec: { controller: 'a/b' } }),
      update('/apis/coordination.k8s.io/v1/namespaces/{{ns}}/leases/l', { metadata: { name: 'l' }, spec: {} }),
    ],
  },
  {
    name: 'generations',
    steps: [
      create(ingresses, makeIngress('i')),
      update(`${ingresses}/i`, makeIngress('i', { ingressClassName: 'x' })),
      update(`${ingresses}/i`, makeIngress('i', { ingressClassName: 'x' }, { labels: { a: 'b' } })),
      update(`${ingresses}/i/status`, {
        ...makeIngress('i', { ingressClassName: 'y' }),
        status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
      }),
      update(`${ingresses}/i`, { ...makeIngress('i', { ingressClassName: 'x' }), status: {} }),
      update(`${ingresses}/i/status`, makeIngress('i', {}, { labels: { n: 'o' }, annotations: { q: 'r' } })),
      update(`${ingresses}/i/status`, { ...makeIngress('i'), status: { loadBalancer: { ingress: [{ ip: 'bad' }] } } }),
      update(`${ingresses}/i/status`, makeIngress('j')),
      read(`${ingresses}/i/status`),
    ],
  },
  {
    name: 'dry-runs',
    steps: [
      create(`${configMaps}?dryRun=All`, data({ x: '1' })),
      read(a),
      ...['all', '', 'None', 'All&dryRun=None'].map((value) =>
        create(`${configMaps}?dryRun=${value}`, makeConfigMap('b')),
      ),
      create(configMaps, data({ x: '1' })),
      update(`${a}?dryRun=All`, data({ x: '2' })),
      update(`${a}?dryRun=None`, data({ x: '2' })),
      update(`${limitRanges}/l?dryRun=All`, { metadata: { name: 'l' }, spec: { limits: [{ type: 'Pod' }] } }),
      patch('merge', `${a}?dryRun=All`, { data: { x: null } }),
      remove(`${a}?dryRun=All`),
      remove(a, { dryRun: ['All'] }),
      remove(a, { dryRun: ['x'] }),
      remove(`${a}?dryRun=x`),
      read(a),
      create(`${namespaces}?dryRun=All`, { metadata: { name: '{{case}}-b' } }),
      read(`${namespaces}/{{case}}-b`),
    ],
  },
  {
    name: 'write-options',
    steps: [
      create(`${configMaps}?fieldManager=${'x'.repeat(129)}&dryRun=x&fieldValidation=y`, data({})),
      update(`${a}?fieldManager=${'x'.repeat(129)}&dryRun=x&fieldValidation=y`, data({})),
      patch('merge', `${a}?fieldManager=${'x'.repeat(129)}&dryRun=x&fieldValidation=y&force=1`, {}),
      ...[
        'pretty=true',
        'foo=bar',
        'force=true',
        'timeout=5s',
        'timeout=x',
        'timeout=5',
        'timeout=-1s',
        'timeoutSeconds=x',
      ].map((query, index) => create(`${configMaps}?${query}`, makeConfigMap(`o${index}`))),
    ],
  },
  {
    name: 'finalizers-and-owners',
    steps: [
      ...[['x'], ['a b/c'], ['orphan', 'foregroundDeletion'], ['a/b', 'a/b'], [''], ['kubernetes']].map(
        (finalizers, index) => create(configMaps, makeConfigMap(`f${index}`, {}, { finalizers })),
      ),
      ...[
        [{}],
        [owner('p')],
        [owner('p', { controller: true }), owner('q', { controller: true })],
        [owner('p'), owner('p')],
        [owner('p', { kind: 'Event' })],
        [owner('p', { apiVersion: 'a/b/c' })],
        [owner('p', { uid: '' })],
      ].map((ownerReferences, index) =>
        create(`${configMaps}?dryRun=All`, makeConfigMap(`o${index}`, {}, { ownerReferences })),
      ),
      create(configMaps, makeConfigMap('a', {}, { finalizers: ['a/b'] })),
      update(`${a}?dryRun=All`, makeConfigMap('a', {}, { ownerReferences: [owner('p'), owner('p')] })),
      patch('merge', `${a}?dryRun=All`, { metadata: { ownerReferences: [owner('p'), owner('p')] } }),
    ],
  },
  {
    name: 'labels-and-annotations',
    steps: [
      ...[
        { 'a/b/c': 'x' },
        { '': 'y' },
        { ok: 'x'.repeat(64) },
        { 'UP.example/x': '-' },
        { 'a.example/x': 'y' },
      ].flatMap((members, index) => [
        create(configMaps, makeConfigMap(`l${index}`, {}, { labels: members })),
        create(configMaps, makeConfigMap(`a${index}`, {}, { annotations: members })),
      ]),
      create(configMaps, makeConfigMap('n', {}, { annotations: { a: 'x'.repeat(270_000) } })),
    ],
  },
  {
    name: 'large-bodies',
    steps: [
      create(configMaps, data({ x: 'y'.repeat(1_100_000) }), { compares: 'status' }),
      create(configMaps, data({ x: 'y'.repeat(1_000_000) }), { compares: 'status' }),
      patch('merge', a, { data: { z: 'y'.repeat(900_000) } }, { compares: 'status' }),
    ],
  },
];
