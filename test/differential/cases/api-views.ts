import { create, patch, read, remove, type DifferentialCase, type DifferentialStep } from '../differential-case.ts';
import {
  collections,
  makeBudget,
  makeConfigMap,
  makeDeployment,
  makeIngress,
  makePod,
  makePolicy,
} from './api-objects.ts';

const { configMaps, deployments, ingresses, ingressClasses, limitRanges, networkPolicies, pods, budgets } = collections;
const path = networkPolicies;
const table = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } };
const partial = { headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' } };
/** Their texts are our own. */
const ignoredTexts = ['columnDefinitions.*.description'];
/** Ages are whole seconds, which begin when they like. */
const ages = ['rows.*.cells.2'];

function readTable(target: string, accept = table.headers.accept): DifferentialStep {
  return read(target, { headers: { accept }, ignores: [...ignoredTexts, ...ages] });
}

/** Collections and objects, and which cell of their rows is the age. */
const tablesOfKinds: readonly (readonly [path: string, age: number])[] = [
  [ingresses, 5],
  [limitRanges, 1],
  [budgets, 4],
  [deployments, 4],
  [pods, 4],
  [`${configMaps}/c`, 2],
  ['/api/v1/namespaces/{{ns}}', 2],
  ['/api/v1/namespaces/{{ns}}/secrets', 3],
  ['/apis/rbac.authorization.k8s.io/v1/clusterroles/view?includeObject=None', 1],
  ['/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?labelSelector=none', 4],
  ['/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings?labelSelector=none', 3],
  ['/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?labelSelector=none', 4],
  ['/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations?labelSelector=none', 6],
  [`${ingressClasses}?labelSelector=none`, 3],
  ['/api/v1/nodes?labelSelector=none', 3],
];

const two = [create(path, makePolicy('a', {}, { labels: { x: 'y' } })), create(path, makePolicy('b'))];

/** The forms in which objects are answered: Tables, metadata alone, other media types. */
export const viewCases: readonly DifferentialCase[] = [
  {
    name: 'tables',
    steps: [
      ...two,
      ...[path, `${path}?limit=1`, `${path}/a`, `${path}/none`, `${path}?includeObject=Foo`].map((target) =>
        readTable(target),
      ),
      ...['None', 'Object', 'Metadata'].map((value) => readTable(`${path}?includeObject=${value}`)),
      readTable(path, 'application/json;as=Table;v=v1beta1;g=meta.k8s.io'),
      readTable(
        path,
        'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
      ),
      create(`${path}?dryRun=All`, makePolicy('z'), { ...table, ignores: [...ignoredTexts, ...ages] }),
      patch('merge', `${path}/a?dryRun=All`, {}, { ...table, ignores: [...ignoredTexts, ...ages] }),
      remove(`${path}/a`, undefined, table),
    ],
  },
  {
    name: 'tables-of-kinds',
    steps: [
      create(ingresses, makeIngress('i', { tls: [{ hosts: ['a.example'] }] })),
      create(limitRanges, { metadata: { name: 'l' }, spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } }),
      create(budgets, makeBudget('b', { minAvailable: 1 })),
      create(deployments, makeDeployment('d')),
      create(pods, makePod('p')),
      create(configMaps, makeConfigMap('c', { data: { x: 'y' } })),
      ...tablesOfKinds.map(([target, age]) =>
        read(target, { ...table, ignores: [...ignoredTexts, `rows.*.cells.${age}`] }),
      ),
    ],
  },
  {
    name: 'metadata-alone',
    steps: [
      ...two,
      read(path, { headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' } }),
      read(`${path}?limit=1`, {
        headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
      }),
      read(path, { headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io' } }),
      read(path, partial),
      read(`${path}/a`, partial),
      read(`${path}/a`, { headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' } }),
      create(path, makePolicy('f'), partial),
      patch('merge', `${path}/a`, { metadata: { labels: { z: 'z' } } }, partial),
      remove(`${path}/a`, undefined, partial),
    ],
  },
  {
    name: 'accepted-types',
    steps: [
      create(path, makePolicy('a')),
      ...[
        ...[
          '',
          '*/*',
          'application/json;pretty=1',
          'application/json;q=0.1,application/yaml;q=0.9',
          'application/yaml, */*',
        ],
        ...['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json;charset=utf-8', 'application/json;sv=v1'],
        ...['application/json, text/plain', 'application/json;stream=watch', 'application/yaml'],
      ].flatMap((accept) => [
        read(`${path}/a`, { headers: { accept } }),
        read(`${path}/none`, { headers: { accept } }),
        read(path, { headers: { accept } }),
      ]),
    ],
  },
  {
    name: 'refused-types',
    steps: [
      create(path, makePolicy('a')),
      ...[
        ...['text/html', 'application/*', 'application/cbor', 'foo', 'application/json;sv=v2', 'application/json;v=v1'],
        ...['application/json;g=meta.k8s.io', 'application/json;as=Table;v=v2;g=meta.k8s.io'],
        ...['application/json;as=Table;v=v1;g=foo', 'application/json;as=Foo;v=v1;g=meta.k8s.io'],
      ].flatMap((accept) => [
        read(`${path}/a`, { headers: { accept } }),
        create(path, makePolicy('b'), { headers: { accept } }),
        remove(`${path}/none`, undefined, { headers: { accept } }),
      ]),
    ],
  },
  {
    name: 'accepted-types-of-documents',
    steps: ['text/html', 'application/yaml', 'application/*', '*/*', ''].flatMap((accept) =>
      ['/version', '/openapi/v2', '/openapi/v3', '/apis', '/apis/apps', '/api', '/healthz', '/'].map((target) =>
        read(target, { headers: { accept }, compares: 'status' }),
      ),
    ),
  },
];
