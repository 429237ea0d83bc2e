import { create, patch, read, remove, update, type DifferentialCase } from '../differential-case.ts';
import {
  define,
  definitionPath,
  definitions,
  established,
  group,
  hasCondition,
  inNamespace,
  isGone,
  specSchema,
  thing,
  version,
} from './define-things.ts';

/** Definitions of several versions, those that change or go, and what is told of them. */
export const definitionChangeCases: readonly DifferentialCase[] = [
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
      { ...read('', { read: { from: 'all', events: 2 } }) },
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
