import {
  create,
  patch,
  read,
  remove,
  update,
  type DifferentialCase,
  type DifferentialStep,
} from '../differential-case.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = '{{case}}.example.com';
const definitionPath = `${definitions}/things.${group}`;
const inNamespace = (version = 'v1'): string => `/apis/${group}/${version}/namespaces/{{ns}}/things`;

const specSchema = {
  type: 'object',
  properties: {
    size: { type: 'integer', default: 3 },
    color: { type: 'string' },
    former: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  },
};
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: specSchema,
      status: {
        type: 'object',
        properties: { ready: { type: 'boolean' }, replicas: { type: 'integer' }, selector: { type: 'string' } },
      },
    },
  },
};

function version(name: string, more: object = {}): object {
  return { name, served: true, storage: name === 'v1', schema, ...more };
}

function define(versions: readonly object[] = [version('v1')], more: object = {}): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList', shortNames: ['{{case}}'] },
      versions,
      ...more,
    },
  };
}

function thing(name: string, spec: object = {}, apiVersion = 'v1', more: object = {}): object {
  return { apiVersion: `${group}/${apiVersion}`, kind: 'Thing', metadata: { name }, spec, ...more };
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null };
}

function hasCondition(type: string, status: string) {
  return (body: Conditioned): boolean =>
    (body.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === status);
}

/** Defines the kind, and waits until it is served; the answer is compared. */
function established(versions?: readonly object[], more?: object): DifferentialStep[] {
  return [
    create(definitions, define(versions, more)),
    read(definitionPath, { until: hasCondition('Established', 'True') }),
    // Discovery follows a moment later.
    read(`/apis/${group}/v1`, { until: (body) => body?.kind === 'APIResourceList', compares: 'status' }),
  ];
}

const isGone = (body: { code?: number; kind?: string }): boolean => body.code === 404;

/** Definitions, and the kinds that they serve: from their names to the end of their last object. */
export const definitionCases: readonly DifferentialCase[] = [
  {
    name: 'definition-lifecycle',
    steps: [
      read(inNamespace()),
      read(`/apis/${group}`),
      read(`/apis/${group}/v1`),
      ...established(),
      read(`/apis/${group}`, { until: (body) => body?.kind === 'APIGroup' }),
      read(`/apis/${group}/v1`),
      read(`/apis/${group}/v2`),
      read(`/apis/${group}/v1/others`),
      read(`/apis/${group}/v2/things`),
      create(inNamespace(), thing('a', { color: 'red' })),
      read(`${inNamespace()}/a`),
      read(inNamespace()),
      read(`/apis/${group}/v1/things`),
      read(`${inNamespace()}/b`),
      read(`${inNamespace()}/a/status`),
      read(`${inNamespace()}/a/scale`),
      read(`${inNamespace()}/a/other`),
      read(`/apis/${group}/v1/things/a`),
      create(`/apis/${group}/v1/things`, thing('c')),
      create(inNamespace(), thing('a')),
      create(inNamespace(), { ...thing('d'), kind: 'Other' }),
      create(inNamespace(), { ...thing('d'), apiVersion: 'v1' }),
      create(`${inNamespace()}?fieldValidation=Ignore`, { ...thing('d'), apiVersion: `${group}/v2` }),
      update(`${inNamespace()}/a`, thing('a', { color: 'blue' })),
      update(`${inNamespace()}/a`, {
        ...thing('a', { color: 'blue' }),
        metadata: { name: 'a', resourceVersion: '{{13.metadata.resourceVersion}}' },
      }),
      patch('merge', `${inNamespace()}/a`, { spec: { size: 5 } }),
      patch('json', `${inNamespace()}/a`, [{ op: 'replace', path: '/spec/size', value: 6 }]),
      patch('strategic', `${inNamespace()}/a`, { spec: { size: 7 } }),
      patch('apply', `${inNamespace()}/a?fieldManager=one`, thing('a', { tags: ['x'] })),
      patch('apply', `${inNamespace()}/a?fieldManager=two`, thing('a', { size: 8 })),
      patch('apply', `${inNamespace()}/a?fieldManager=two&force=true`, thing('a', { size: 8 })),
      remove(`${inNamespace()}/a`),
      remove(`${inNamespace()}/a`),
      create(inNamespace(), thing('e')),
      create(inNamespace(), thing('f')),
      remove(inNamespace()),
      read(inNamespace()),
      remove(definitionPath, undefined, { ignores: ['metadata.managedFields'] }),
      read(definitionPath, { until: isGone }),
      read(inNamespace(), { until: (body) => typeof body === 'string' }),
      read(`/apis/${group}/v1`, { until: (body) => typeof body === 'string' }),
    ],
  },
  {
    name: 'definition-types',
    steps: [
      ...established(),
      create(inNamespace(), { metadata: { name: 'a' }, spec: {} }),
      create(inNamespace(), { kind: 'Thing', metadata: { name: 'a' }, spec: {} }),
      create(inNamespace(), { apiVersion: `${group}/v1`, metadata: { name: 'a' }, spec: {} }),
      create(inNamespace(), { ...thing('d'), kind: 'Other' }),
      create(inNamespace(), { ...thing('D'), kind: 'Other', spec: { size: 'x' } }),
      create(inNamespace(), { ...thing('d'), kind: 'ConfigMap', apiVersion: 'v1' }),
      create(inNamespace(), []),
      create(inNamespace(), 'x'),
      create(inNamespace(), thing('b', { color: 'red', other: 1 })),
      create(`${inNamespace()}?fieldValidation=Strict`, thing('c', { color: 'red', other: 1 })),
      update(`${inNamespace()}/b`, { ...thing('b'), kind: 'Other' }),
      update(`${inNamespace()}/b`, { ...thing('b'), apiVersion: 'v1' }),
      update(`${inNamespace()}/b`, { ...thing('c') }),
      update(`${inNamespace()}/z`, { ...thing('z') }),
      patch('merge', `${inNamespace()}/b`, { kind: 'Other' }),
      patch('merge', `${inNamespace()}/b`, { apiVersion: 'v1' }),
      patch('merge', `${inNamespace()}/b?fieldValidation=Ignore`, { apiVersion: `${group}/v2` }),
      patch('merge', `${inNamespace()}/b`, { kind: null }, { compares: 'status' }),
      patch('merge', `${inNamespace()}/b`, { metadata: { name: 'c' } }),
      patch('merge', `${inNamespace()}/b`, { other: 1 }),
      patch('merge', `${inNamespace()}/b?fieldValidation=Strict`, { other: 1 }),
      patch('apply', `${inNamespace()}/b?fieldManager=m`, { ...thing('b'), kind: 'Other' }),
      patch('apply', `${inNamespace()}/b?fieldManager=m`, { ...thing('b'), apiVersion: `${group}/v2` }),
      patch('apply', `${inNamespace()}/b?fieldManager=m`, thing('b', { other: 1 })),
      read(inNamespace(), {
        headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
        ignores: ['rows.*.cells.1'],
      }),
      create(
        inNamespace(),
        'apiVersion: {{case}}.example.com/v1\nkind: Thing\nmetadata: {name: y}\nspec: {size: 1, size: 2}\n',
        {
          headers: { 'content-type': 'application/yaml' },
        },
      ),
      remove(definitionPath, undefined, { compares: 'status' }),
    ],
  },
  {
    name: 'definition-cluster-scoped',
    steps: [
      ...established(undefined, { scope: 'Cluster' }),
      create(`/apis/${group}/v1/things`, thing('a')),
      read(`/apis/${group}/v1/things/a`),
      read(`/apis/${group}/v1/things?fieldSelector=metadata.name=a`),
      read(`/apis/${group}/v1/things?fieldSelector=metadata.namespace=a`),
      read(`/apis/${group}/v1/things?fieldSelector=spec.size=3`),
      read(inNamespace()),
      create(inNamespace(), thing('b')),
      remove(`/apis/${group}/v1/things`),
      remove(definitionPath, undefined, { compares: 'status' }),
    ],
  },
  {
    name: 'definition-subresources',
    steps: [
      ...established([
        version('v1', {
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.size',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
        }),
      ]),
      read(`/apis/${group}/v1`),
      create(inNamespace(), thing('a', { size: 2 }, 'v1', { status: { ready: true } })),
      update(`${inNamespace()}/a/status`, {
        ...thing('a', { size: 9 }, 'v1', { status: { ready: true, replicas: 4, selector: 'a=b' } }),
        metadata: { name: 'a', resourceVersion: '{{5.metadata.resourceVersion}}' },
      }),
      read(`${inNamespace()}/a/status`),
      read(`${inNamespace()}/a/scale`),
      patch('merge', `${inNamespace()}/a/scale`, { spec: { replicas: 7 } }),
      patch('strategic', `${inNamespace()}/a/scale`, { spec: { replicas: 7 } }),
      patch('apply', `${inNamespace()}/a/scale?fieldManager=s`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a' },
        spec: { replicas: 8 },
      }),
      update(`${inNamespace()}/a/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a', namespace: '{{ns}}' },
        spec: { replicas: -1 },
      }),
      read(`${inNamespace()}/a`),
      patch('merge', `${inNamespace()}/a/status`, { status: { ready: false }, spec: { size: 1 } }),
      patch('json', `${inNamespace()}/a`, [{ op: 'remove', path: '/spec' }]),
      read(`${inNamespace()}/a/scale`),
      patch('merge', `${inNamespace()}/a/scale`, { spec: {} }),
      patch('merge', `${inNamespace()}/a/scale`, { spec: { replicas: 3 } }),
      read(`${inNamespace()}/a`),
      remove(definitionPath, undefined, { compares: 'status' }),
    ],
  },
  {
    name: 'definition-versions',
    steps: [
      ...established([
        version('v1', { storage: false }),
        version('v1beta1', {
          storage: true,
          deprecated: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: {
                    ...specSchema.properties,
                    size: { type: 'integer' },
                    color: { type: 'string', default: 'old' },
                    former: { type: 'string', default: 'kept' },
                  },
                },
              },
            },
          },
        }),
        version('v1alpha1', { storage: false, served: false }),
      ]),
      read(`/apis/${group}`, { until: (body) => body?.kind === 'APIGroup' }),
      read(`/apis/${group}/v1`),
      read(`/apis/${group}/v1beta1`),
      read(`/apis/${group}/v1alpha1`),
      create(inNamespace('v1'), thing('a', { size: 4 })),
      read(`${inNamespace('v1beta1')}/a`),
      read(`${inNamespace('v1')}/a`),
      create(inNamespace('v1beta1'), thing('b', { former: 'x' }, 'v1beta1')),
      read(`${inNamespace('v1')}/b`),
      read(inNamespace('v1')),
      read(inNamespace('v1beta1')),
      patch('apply', `${inNamespace('v1beta1')}/c?fieldManager=one`, thing('c', { color: 'red' }, 'v1beta1')),
      patch('apply', `${inNamespace('v1')}/c?fieldManager=two`, thing('c', { color: 'blue' })),
      patch('apply', `${inNamespace('v1')}/c?fieldManager=two&force=true`, thing('c', { color: 'blue', size: 2 })),
      read(`${inNamespace('v1beta1')}/c`),
      patch('merge', `${inNamespace('v1beta1')}/a`, { spec: { color: 'green' } }),
      patch('merge', `${inNamespace('v1')}/a?fieldManager=three`, { spec: { color: 'black' } }),
      remove(`${inNamespace('v1beta1')}/b`),
      update(`${inNamespace('v1')}/a`, (answers: readonly { body: object }[]) => answers.at(-1)?.body),
      create(inNamespace('v1alpha1'), thing('d', {}, 'v1alpha1')),
      remove(definitionPath, undefined, { compares: 'status' }),
    ],
  },
  {
    name: 'definition-storage-version',
    steps: [
      ...established([version('v1', { storage: false }), version('v1beta1', { storage: true })]),
      create(inNamespace('v1'), thing('a', { size: 4 })),
      patch('json', definitionPath, [
        { op: 'replace', path: '/spec/versions/0/storage', value: true },
        { op: 'replace', path: '/spec/versions/1/storage', value: false },
      ]),
      read(definitionPath),
      // What is stored as the old version is rewritten by a write that changes nothing.
      patch('merge', `${inNamespace('v1')}/a`, {}, { until: (body) => body?.metadata !== undefined }),
      patch('merge', `${inNamespace('v1')}/a`, {}),
      patch('json', definitionPath, [{ op: 'remove', path: '/spec/versions/1' }]),
      patch('merge', `${definitionPath}/status`, { status: { storedVersions: ['v1'] } }),
      patch('json', definitionPath, [{ op: 'remove', path: '/spec/versions/1' }]),
      read(inNamespace('v1beta1'), { until: (body) => typeof body === 'string' }),
      read(`${inNamespace('v1')}/a`),
      remove(definitionPath, undefined, { compares: 'status' }),
    ],
  },
  {
    name: 'definition-schema-change',
    steps: [
      ...established(),
      create(inNamespace(), thing('a', { color: 'red' })),
      patch('json', definitionPath, [
        { op: 'remove', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color' },
        {
          op: 'add',
          path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/weight',
          value: { type: 'integer', default: 10 },
        },
      ]),
      read(`${inNamespace()}/a`, { until: (body) => body?.spec?.weight === 10 }),
      read(inNamespace()),
      patch('merge', `${inNamespace()}/a`, {}),
      read(`${inNamespace()}/a`),
      remove(definitionPath, undefined, { compares: 'status' }),
    ],
  },
  {
    name: 'definition-terminating',
    steps: [
      ...established(),
      create(inNamespace(), {
        ...thing('a'),
        metadata: { name: 'a', finalizers: ['example.com/held'] },
      }),
      create(inNamespace(), thing('b')),
      remove(definitionPath),
      read(definitionPath, {
        until: (body) =>
          (body?.status?.conditions ?? []).some(
            ({ reason }: { reason: string }) => reason === 'InstanceDeletionInProgress',
          ),
      }),
      read(`${inNamespace()}/b`, { until: isGone }),
      read(`${inNamespace()}/a`, { until: (body) => body?.metadata?.deletionTimestamp !== undefined }),
      create(inNamespace(), thing('c')),
      patch('apply', `${inNamespace()}/c?fieldManager=one`, thing('c')),
      patch('merge', `${inNamespace()}/a`, { spec: { size: 1 } }),
      read(`/apis/${group}/v1`, { until: (body) => body?.resources?.[0]?.verbs?.length === 5 }),
      remove(definitionPath, undefined, { ignores: ['metadata.managedFields'] }),
      patch('merge', `${inNamespace()}/a`, { metadata: { finalizers: null } }),
      read(definitionPath, { until: isGone }),
      read(inNamespace(), { until: (body) => typeof body === 'string' }),
    ],
  },
  {
    name: 'definition-watches',
    steps: [
      ...established(),
      create(inNamespace(), thing('a')),
      { ...read(`${inNamespace()}?watch=true`), open: 'all' },
      { ...read('', { read: { from: 'all', events: 1 } }) },
      patch('merge', `${inNamespace()}/a`, { spec: { size: 1 } }),
      { ...read('', { read: { from: 'all', events: 1 } }) },
      remove(`${inNamespace()}/a`),
      { ...read('', { read: { from: 'all', events: 1 } }) },
      create(inNamespace(), thing('b')),
      { ...read('', { read: { from: 'all', events: 1 } }) },
      remove(definitionPath, undefined, { compares: 'status' }),
      // The end of its last object, and of the stream.
      { ...read('', { read: { from: 'all', events: 2, millis: 15_000 } }) },
    ],
  },
  {
    name: 'definition-tables',
    steps: [
      ...established([
        version('v1', {
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
            { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1, description: 'What it looks like' },
          ],
        }),
      ]),
      create(inNamespace(), thing('a', { color: 'red' })),
      read(inNamespace(), { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
      read(`${inNamespace()}/a`, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
      read(inNamespace(), { headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' } }),
      read(`${inNamespace()}/a`, {
        headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
      }),
      read(inNamespace(), { headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' } }),
      read(inNamespace(), { headers: { accept: 'application/yaml' }, compares: 'status' }),
      remove(definitionPath, undefined, { compares: 'status' }),
    ],
  },
  {
    name: 'definition-names',
    steps: [
      ...established(),
      create(definitions, {
        ...define(),
        metadata: { name: `others.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: {
            plural: 'others',
            singular: 'thing',
            kind: 'Thing',
            listKind: 'OtherList',
            shortNames: ['{{case}}'],
          },
          versions: [version('v1')],
        },
      }),
      read(`${definitions}/others.${group}`, { until: hasCondition('NamesAccepted', 'False') }),
      read(`/apis/${group}/v1/others`),
      patch('merge', `${definitions}/others.${group}`, {
        spec: { names: { singular: 'other', kind: 'Other', shortNames: null } },
      }),
      read(`${definitions}/others.${group}`, { until: hasCondition('Established', 'True') }),
      patch('merge', definitionPath, { spec: { names: { shortNames: ['x{{case}}'], categories: ['all'] } } }),
      read(definitionPath, { until: (body) => body?.status?.acceptedNames?.categories !== undefined }),
      patch('merge', definitionPath, { spec: { names: { plural: 'nothings' } } }),
      patch('merge', definitionPath, { spec: { scope: 'Cluster' } }),
      patch('merge', definitionPath, { spec: { group: 'other.example.com' } }),
      remove(`${definitions}/others.${group}`, undefined, { compares: 'status' }),
      remove(definitionPath, undefined, { compares: 'status' }),
    ],
  },
  {
    name: 'definition-never-established',
    steps: [
      ...established(),
      create(definitions, {
        ...define(),
        metadata: { name: `others.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'others', singular: 'other', kind: 'Thing', listKind: 'OtherList' },
          versions: [version('v1')],
        },
      }),
      read(`${definitions}/others.${group}`, { until: hasCondition('NamesAccepted', 'False') }),
      remove(definitionPath, undefined, { compares: 'status' }),
      read(definitionPath, { until: isGone }),
      // What it waited for is free.
      read(`${definitions}/others.${group}`, { until: hasCondition('Established', 'True') }),
      remove(`${definitions}/others.${group}`, undefined, { compares: 'status' }),
    ],
  },
];
