import {
  create,
  patch,
  read,
  remove,
  update,
  type DifferentialCase,
  type DifferentialStep,
} from '../differential-case.ts';
import { collections, makeConfigMap, makeDeployment, makePolicy } from './api-objects.ts';

const { configMaps, deployments, networkPolicies: path } = collections;
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const partialList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
/** Texts of columns are our own, and ages begin when they like. */
const ignored = { ignores: ['columnDefinitions.*.description', 'rows.*.cells.2', 'rows.*.cells.3'] };
const two = [create(path, makePolicy('a', {}, { labels: { x: 'y' } })), create(path, makePolicy('b'))];

function accepting(accept: string): Pick<DifferentialStep, 'headers'> {
  return { headers: { accept } };
}

/** Forms that are asked for in odd ways, and of what is written. */
export const formCases: readonly DifferentialCase[] = [
  {
    name: 'accept-orders',
    steps: [
      ...two,
      ...[
        `${partial},${table}`,
        `application/json,${table}`,
        `${table};q=0.1,application/json;q=0.9`,
        `application/json;as=Table;v=v9;g=meta.k8s.io,${table}`,
        `application/json;as=Table;g=meta.k8s.io;v=v1beta1,${table}`,
        'application/json;as=Table;g=meta.k8s.io',
        'application/json;as=Table;v=v1',
        'application/json;as=Table',
        'application/json;as=;v=v1;g=meta.k8s.io',
        'application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
        `text/html;as=Table;v=v1;g=meta.k8s.io,${table}`,
        'application/json;as=Status;v=v1;g=meta.k8s.io',
        'APPLICATION/JSON;AS=Table;V=v1;G=meta.k8s.io',
        'application/json; as=Table; v=v1; g=meta.k8s.io',
        'application/json;as="Table";v="v1";g="meta.k8s.io"',
        '*/*;as=Table;v=v1;g=meta.k8s.io',
        'application/json;q=0',
        'application/json;q=x',
        ', ,application/json',
        ';',
        'application/json;;',
        'application/json;pretty=0',
        'application/json;profile=nested',
        'application/json;export=1',
        `${table},*/*`,
        'application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io',
      ].flatMap((accept) => [
        read(`${path}/a`, { ...accepting(accept), ...ignored }),
        read(path, { ...accepting(accept), ...ignored }),
        read(`${path}?watch=true&timeoutSeconds=1`, {
          ...accepting(accept),
          stream: { events: 1 },
          ignores: ['*.object.columnDefinitions.*.description', '*.object.rows.*.cells.2'],
        }),
      ]),
    ],
  },
  {
    name: 'forms-of-writes',
    steps: [
      ...[table, partial, partialList].flatMap((accept, i) => [
        create(configMaps, makeConfigMap(`c${i}`, { data: { a: '1' } }), { ...accepting(accept), ...ignored }),
        update(`${configMaps}/c${i}`, makeConfigMap(`c${i}`, { data: { a: '2' } }), {
          ...accepting(accept),
          ...ignored,
        }),
        patch(
          'merge',
          `${configMaps}/c${i}`,
          { data: { b: '1' } },
          { headers: { accept, 'content-type': 'application/merge-patch+json' }, ...ignored },
        ),
        patch('apply', `${configMaps}/c${i}?fieldManager=m`, makeConfigMap(`c${i}`, { data: { z: '1' } }), {
          headers: { accept, 'content-type': 'application/apply-patch+yaml' },
          ...ignored,
        }),
        remove(`${configMaps}/c${i}`, undefined, { ...accepting(accept), ...ignored }),
        create(configMaps, makeConfigMap(`c${i}`, {}, { finalizers: ['a/b'] }), { ...accepting(accept), ...ignored }),
        remove(`${configMaps}/c${i}`, undefined, { ...accepting(accept), ...ignored }),
        create(`${collections.pods}/none/eviction`, { metadata: { name: 'none' } }, accepting(accept)),
        create(
          '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
          { spec: { resourceAttributes: { verb: 'get' } } },
          { ...accepting(accept), ...ignored },
        ),
        read('/api/v1/namespaces/{{ns}}', { ...accepting(accept), ...ignored }),
        read('/version', { ...accepting(accept), compares: 'status' }),
        read('/apis/apps/v1', { ...accepting(accept) }),
        read('/foo', accepting(accept)),
        read('/api/v1/foos', accepting(accept)),
      ]),
      create(deployments, makeDeployment('d')),
      read(`${deployments}/d/scale`, { ...accepting(partial) }),
      read(`${deployments}/d/status`, { ...accepting(partial) }),
      read(`${deployments}/d/status`, {
        ...accepting(table),
        ignores: ['columnDefinitions.*.description', 'rows.*.cells.4'],
      }),
      patch(
        'merge',
        `${deployments}/d/scale`,
        { spec: { replicas: 3 } },
        { headers: { accept: partial, 'content-type': 'application/merge-patch+json' } },
      ),
    ],
  },
];
