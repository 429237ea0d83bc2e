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

/** What a definition says beyond the names. */
interface DefinitionParts {
  readonly scope?: 'Cluster';
  readonly schema?: object;
  readonly version?: object;
  readonly versions?: readonly object[];
}

const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 0, maximum: 10 },
    mode: { type: 'string', enum: ['fast', 'slow'], default: 'slow' },
    ports: {
      type: 'array',
      maxItems: 10,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: {
          port: { type: 'integer' },
          protocol: { type: 'string', default: 'TCP', maxLength: 10 },
          name: { type: 'string' },
        },
      },
    },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    limit: { 'x-kubernetes-int-or-string': true },
    when: { type: 'string', format: 'date-time' },
  },
  'x-kubernetes-validations': [{ rule: 'self.size != 7', message: 'seven is not allowed', fieldPath: '.size' }],
};
const status = {
  type: 'object',
  properties: { phase: { type: 'string' }, replicas: { type: 'integer' }, selector: { type: 'string' } },
};
const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } };

/** The first steps of a case: a definition of the group `{{case}}.example.com`, until its kind is served. */
function define(parts: DefinitionParts = {}): DifferentialStep[] {
  const version = { name: 'v1', served: true, storage: true, schema: parts.schema ?? schema, ...parts.version };
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.{{case}}.example.com' },
    spec: {
      group: '{{case}}.example.com',
      scope: parts.scope ?? 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', shortNames: ['th'] },
      versions: parts.versions ?? [version],
    },
  };
  return [
    create(definitions, body, { compares: 'status' }),
    read(`/apis/{{case}}.example.com/v1/things`, {
      compares: 'nothing',
      until: (answer) => answer?.kind === 'ThingList',
    }),
  ];
}

/** How many steps define a kind. */
const defineSteps = 2;
const things = '/apis/{{case}}.example.com/v1/namespaces/{{ns}}/things';

function thing(name: string, fields: object = {}, more: object = {}): object {
  return {
    apiVersion: '{{case}}.example.com/v1',
    kind: 'Thing',
    metadata: { name },
    spec: { size: 1, ...fields },
    ...more,
  };
}

const withStatus = { subresources: { status: {} } };
const withScale = {
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.size',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
};

const tightened = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: {
        ...spec,
        properties: {
          ...spec.properties,
          added: { type: 'string', default: 'yes' },
          tags: { type: 'array', minItems: 2, 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 4 } },
          size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 5', message: 'too large' }] },
        },
      },
      status,
    },
  },
};
const pathSample = {
  list: [
    { n: 1, s: 'one', on: true },
    { n: 2, s: 'two', on: false, deep: { n: 5 } },
    { n: 2.5, s: "it's", z: null },
  ],
  words: ['a', 'b', 'c', 'd'],
  'dotted.key': 'dot',
  'a-b': 'dash',
  nothing: null,
  empty: [],
  number: 1234567.5,
  large: 12345678,
  map: { one: 1 },
};
const paths = [
  '.spec.open.list[0].s', '.spec.open.list[-1].s', '.spec.open.list[5].s', '.spec.open.list[1:].s', '.spec.open.list[:2].n', '.spec.open.list[0:3:2].s',
  '.spec.open.list[*].s', '.spec.open.list[?(@.n==2)].s', '.spec.open.list[?(@.n>1)].s', '.spec.open.list[?(@.n!=1)].s', '.spec.open.list[?(@.s=="two")].n',
  ".spec.open.list[?(@.s=='one')].n", '.spec.open.list[?(@.s>="one")].n', '.spec.open.list[?(@.deep)].s', '.spec.open.list[?(@.deep.n==5)].s', '.spec.open.list[?(@.on==true)].s',
  '.spec.open.list[?(@.z==1)].s', '.spec.open.list[?(@.n==1.0)].s', '.spec.open.words[0,2]', '.spec.open.words[-2:]', '.spec.open.words[::2]', '.spec.open.words[2:1]', '.spec.open.words[1:1]',
  ".spec.open['a-b']", '.spec.open.a-b', '.spec.open.dotted\\.key', '.spec.open.nothing', '.spec.open.nothing.more', '.spec.open.empty', '.spec.open.empty[0]',
  '.spec.open.number', '.spec.open.large', '.spec.open.map', '.spec.open.map.*', '..deep.n', '..s', '.spec.open.list..n', '.spec.size.more', '.spec.open.words.more', '.spec.open.list.s',
  '.spec.open.map[0]', '.spec.open.list', ".spec.open.list[?(@['s']=='one')].n", '.absent', '.spec.open.list[?(@.n<2)].on', '.spec.open.list[?(@.n<=2)].on', '.metadata.name', '.kind',
]; // prettier-ignore

/** Custom resources from the definition to the deletion. */
export const customResourceCases: readonly DifferentialCase[] = [
  {
    name: 'custom-verbs',
    steps: [
      ...define({ version: withStatus }),
      create(things, thing('a', { unknown: 1, labels: { x: 'y' } }, { status: { phase: 'ignored' }, extra: 1 })),
      create(`${things}?fieldValidation=Strict`, thing('b', { unknown: 1 }, { extra: 1 })),
      create(`${things}?fieldValidation=Ignore`, thing('b', { unknown: 1 }, { extra: 1 })),
      create(`${things}?dryRun=All`, thing('c')),
      create(things, thing('a')),
      create(things, { ...thing('x'), metadata: { generateName: 'made-' } }),
      create(things, thing('Wrong_Name')),
      create(things, thing('d', { size: 11, mode: 'other', ports: [{ protocol: 5 }] })),
      create(things, thing('d', { size: 7 })),
      create(things, { ...thing('d'), spec: {} }),
      create(things, { ...thing('d'), spec: 5 }),
      create(things, { ...thing('d'), spec: null }),
      read(`${things}/a`),
      read(`${things}/absent`),
      read(`${things}?limit=1`),
      read(`${things}?labelSelector=a%3Db`),
      read(`${things}?fieldSelector=metadata.name%3Da`),
      read(`${things}?fieldSelector=spec.size%3D1`),
      update(`${things}/a`, thing('a', { size: 2 })),
      update(`${things}/a`, { ...thing('a', { size: 2 }), metadata: { name: 'a', resourceVersion: `{{${defineSteps + 1}.metadata.resourceVersion}}` } }),
      update(`${things}/a`, { ...thing('a', { size: 3 }), metadata: { name: 'a', resourceVersion: '1' } }),
      update(`${things}/absent`, thing('absent')),
      patch('merge', `${things}/a`, { spec: { size: 4, labels: { x: null } } }),
      patch('merge', `${things}/a`, { spec: { size: 'x' } }),
      patch('json', `${things}/a`, [{ op: 'replace', path: '/spec/size', value: 5 }]),
      patch('strategic', `${things}/a`, { spec: { size: 6 } }),
      patch('merge', `${things}/a`, { spec: { size: 8 }, metadata: { finalizers: ['plain', 'example.com/hold'] } }),
      update(`${things}/a/status`, { ...thing('a', { size: 9 }), metadata: { name: 'a', resourceVersion: `{{${defineSteps + 26}.metadata.resourceVersion}}` }, status: { phase: 'Ready', z: 1 } }),
      patch('merge', `${things}/a/status`, { status: { phase: 'Done' }, spec: { size: 9 } }),
      patch('merge', `${things}/a/status`, { status: { phase: 5 } }),
      read(`${things}/a/status`),
      read(`${things}/a/scale`),
      remove(`${things}/a`),
      patch('merge', `${things}/a`, { metadata: { finalizers: null } }),
      read(`${things}/a`),
      remove(`${things}/b`),
      remove(things),
    ],
  },
  {
    name: 'custom-bodies',
    steps: [
      ...define(),
      create(things, { metadata: { name: 'a' }, spec: { size: 1 } }),
      create(things, { kind: 'Thing', metadata: { name: 'a' }, spec: { size: 1 } }),
      create(things, { apiVersion: '{{case}}.example.com/v1', metadata: { name: 'a' }, spec: { size: 1 } }),
      create(things, { ...thing('a'), kind: 'Other' }),
      create(things, { ...thing('a'), apiVersion: '{{case}}.example.com/v2' }),
      create(things, { ...thing('a'), apiVersion: 'v1', kind: 'ConfigMap' }),
      create(things, { ...thing('a'), apiVersion: 5 }),
      create(things, { ...thing('a'), metadata: 'x' }),
      create(things, { ...thing('a'), metadata: { name: 5 } }),
      create(things, '[]', { headers: { 'content-type': 'application/json' } }),
      create(things, '{"x":', { headers: { 'content-type': 'application/json' } }),
      create(things, 'apiVersion: {{case}}.example.com/v1\nkind: Thing\nmetadata: {name: yaml}\nspec: {size: 1, size: 2}\n', {
        headers: { 'content-type': 'application/yaml' },
      }),
      create(`${things}?fieldValidation=Strict`, '{"apiVersion":"{{case}}.example.com/v1","kind":"Thing","metadata":{"name":"dup"},"spec":{"size":1,"size":2,"labels":{"a":"x","a":"y"}}}', {
        headers: { 'content-type': 'application/json' },
      }),
      create(things, 'x', { headers: { 'content-type': 'text/plain' } }),
    ],
  },
  {
    name: 'custom-apply',
    steps: [
      ...define({ version: withStatus }),
      patch('apply', `${things}/a?fieldManager=one`, thing('a', { ports: [{ port: 80, name: 'web' }], tags: ['x'], labels: { a: '1' }, atomic: { a: '1' }, open: { deep: { er: 1 } }, limit: 5 })),
      patch('apply', `${things}/a?fieldManager=two`, { apiVersion: '{{case}}.example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { ports: [{ port: 80, protocol: 'UDP' }], tags: ['y'], labels: { b: '2' }, open: { deep: { other: 2 } } } }),
      patch('apply', `${things}/a?fieldManager=two`, thing('a', { size: 2 })),
      patch('apply', `${things}/a?fieldManager=two`, { apiVersion: '{{case}}.example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { atomic: { b: '1' } } }),
      patch('apply', `${things}/a?fieldManager=two&force=true`, thing('a', { size: 2 })),
      patch('apply', `${things}/a?fieldManager=one`, thing('a', { size: 2, ports: [{ port: 80, name: 'web' }], unknown: 1 })),
      patch('apply', `${things}/a?fieldManager=one&fieldValidation=Strict`, thing('a', { size: 2, unknown: 1 })),
      patch('apply', `${things}/a?fieldManager=one`, thing('a', { size: 'x' })),
      patch('apply', `${things}/a?fieldManager=one`, thing('a', { ports: [{ port: 1 }, { port: 1 }] })),
      patch('apply', `${things}/a?fieldManager=one`, thing('a', { size: 7 })),
      patch('apply', `${things}/a/status?fieldManager=three`, { apiVersion: '{{case}}.example.com/v1', kind: 'Thing', metadata: { name: 'a' }, status: { phase: 'Ready' } }),
      patch('apply', `${things}/a`, thing('a')),
      read(`${things}/a`),
    ],
  },
  {
    name: 'custom-tables',
    steps: [
      ...define({
        version: {
          ...withStatus,
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How large.' },
            { name: 'Mode', type: 'string', jsonPath: '.spec.mode', priority: 1 },
            { name: 'Port', type: 'string', jsonPath: '.spec.ports[?(@.name=="web")].port' },
            { name: 'Ports', type: 'string', jsonPath: '.spec.ports[*].port' },
            { name: 'First', type: 'string', jsonPath: '.spec.ports[0]' },
            { name: 'Last', type: 'integer', jsonPath: '.spec.ports[-1:].port' },
            { name: 'Open', type: 'string', jsonPath: '.spec.open' },
            { name: 'Deep', type: 'number', jsonPath: '..n' },
            { name: 'Flag', type: 'boolean', jsonPath: '.spec.open.flag' },
            { name: 'When', type: 'date', jsonPath: '.spec.when' },
            { name: 'Wrong', type: 'date', jsonPath: '.spec.mode' },
            { name: 'Escaped', type: 'string', jsonPath: '.spec.labels.a\\.b/c', format: 'password' },
            { name: 'Union', type: 'string', jsonPath: ".spec['mode','size']" },
          ],
          selectableFields: [{ jsonPath: '.spec.mode' }, { jsonPath: '.spec.size' }],
        },
      }),
      create(things, thing('a', { ports: [{ port: 80, name: 'web' }, { port: 443 }], open: { n: 1.5, flag: true, list: [1, 'a'] }, when: '2020-01-01T00:00:00Z', labels: { 'a.b/c': 'x' } })),
      create(things, thing('b', { size: 3, mode: 'fast', open: { flag: 'x', n: null } })),
      read(things, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
      read(`${things}/a?includeObject=None`, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
      read(things, { headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' } }),
      read(`${things}?fieldSelector=spec.mode%3Dfast`),
      read(`${things}?fieldSelector=spec.size%3D1%2Cspec.mode!%3Dfast`),
      read(`${things}?fieldSelector=spec.open%3Dx`),
      read(`${things}?fieldSelector=metadata.namespace%3Dx`),
    ],
  },
  {
    name: 'custom-paths',
    steps: [
      ...define({ version: { additionalPrinterColumns: paths.map((jsonPath, i) => ({ name: `C${i}`, type: 'string', jsonPath })) } }),
      create(things, thing('a', { open: pathSample })),
      create(things, thing('b')),
      read(things, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
    ],
  },
  {
    name: 'custom-ratchet',
    steps: [
      ...define({ version: withStatus }),
      create(things, thing('a', { labels: { x: 'long value' }, tags: ['x'] })),
      create(things, thing('b', { size: 9 })),
      patch('merge', `${definitions}/things.{{case}}.example.com`, { spec: { versions: [{ name: 'v1', served: true, storage: true, ...withStatus, schema: tightened }] } }, { compares: 'status' }),
      read(`${things}/a`, { compares: 'nothing', until: (answer) => answer?.spec?.added === 'yes' }),
      read(`${things}/a`),
      read(things),
      patch('merge', `${things}/a`, { spec: { mode: 'fast' } }),
      patch('merge', `${things}/a`, { spec: { labels: { x: 'longer value' } } }),
      patch('merge', `${things}/a`, { spec: { size: 2 } }),
      patch('merge', `${things}/b`, { spec: { mode: 'fast' } }),
      patch('merge', `${things}/b`, { spec: { size: 10 } }),
      patch('merge', `${things}/b/status`, { status: { phase: 'Ready' } }),
      patch('apply', `${things}/b?fieldManager=one`, { apiVersion: '{{case}}.example.com/v1', kind: 'Thing', metadata: { name: 'b' }, spec: { size: 9, mode: 'fast' } }),
      create(things, thing('c', { size: 9 })),
    ],
  },
  {
    name: 'custom-default-table',
    steps: [
      ...define({ scope: 'Cluster' }),
      create('/apis/{{case}}.example.com/v1/things', thing('a')),
      read('/apis/{{case}}.example.com/v1/things', { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
      read('/apis/{{case}}.example.com/v1/things?fieldSelector=metadata.namespace%3Dx'),
      create(things, thing('a')),
    ],
  },
  {
    name: 'custom-scale',
    steps: [
      ...define({ version: withScale }),
      create(things, thing('a', { size: 3 })),
      read(`${things}/a/scale`),
      patch('merge', `${things}/a/status`, { status: { replicas: 2, selector: 'app=x' } }),
      read(`${things}/a/scale`),
      patch('merge', `${things}/a/scale`, { spec: { replicas: 5 } }),
      patch('merge', `${things}/a/scale`, { spec: { replicas: 50 } }),
      patch('merge', `${things}/a/scale`, { spec: { replicas: -1 } }),
      patch('merge', `${things}/a`, { spec: { size: -1 } }),
      read(`${things}/a`),
    ],
  },
  {
    name: 'custom-versions',
    steps: [
      ...define({
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, old: { type: 'string', default: 'o' }, fresh: { type: 'string' } } } } } } },
          { name: 'v2', served: true, storage: false, subresources: { status: {} }, schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, old: { type: 'string' }, fresh: { type: 'string', default: 'f' } } } } } } },
          { name: 'v1alpha1', served: true, storage: false, deprecated: true, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
          { name: 'v1beta1', served: true, storage: false, deprecated: true, deprecationWarning: 'old thing', schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
          { name: 'v0', served: false, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      }),
      create(things, thing('a')),
      read('/apis/{{case}}.example.com/v2/namespaces/{{ns}}/things/a', { until: (answer) => answer?.kind === 'Thing' }),
      create('/apis/{{case}}.example.com/v2/namespaces/{{ns}}/things', { ...thing('b', { fresh: 'x', old: 'y' }), apiVersion: '{{case}}.example.com/v2' }),
      read(`${things}/b`),
      read('/apis/{{case}}.example.com/v1alpha1/namespaces/{{ns}}/things/b'),
      read('/apis/{{case}}.example.com/v1beta1/namespaces/{{ns}}/things'),
      read('/apis/{{case}}.example.com/v0/namespaces/{{ns}}/things'),
      patch('merge', '/apis/{{case}}.example.com/v2/namespaces/{{ns}}/things/a', { spec: { size: 5 } }),
      patch('apply', '/apis/{{case}}.example.com/v2/namespaces/{{ns}}/things/a?fieldManager=two', { apiVersion: '{{case}}.example.com/v2', kind: 'Thing', metadata: { name: 'a' }, spec: { fresh: 'z' } }),
      read(`${things}/a`),
    ],
  },
]; // prettier-ignore
