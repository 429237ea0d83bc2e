import { create, remove, update, type DifferentialCase, type DifferentialStep } from '../differential-case.ts';
import { collections, makeConfigMap } from './api-objects.ts';

const { configMaps, ingresses } = collections;
const yaml = { headers: { 'content-type': 'application/yaml' } };

/** A protobuf message: a field with a length. */
function encodeField(number: number, value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
}

/** A ConfigMap in protobuf, as Go clients send it: an envelope with its type, and the object. */
function encodeConfigMap(name: string, kind = 'ConfigMap', apiVersion = 'v1'): Buffer {
  const entry = Buffer.concat([encodeField(1, 'x'), encodeField(2, '1')]);
  const object = Buffer.concat([encodeField(1, encodeField(1, name)), encodeField(2, entry)]);
  const type = Buffer.concat([encodeField(1, apiVersion), encodeField(2, kind)]);
  return Buffer.concat([Buffer.from('k8s\0'), encodeField(1, type), encodeField(2, object)]);
}

function createAs(type: string, body: unknown): DifferentialStep {
  return create(configMaps, body, { headers: { 'content-type': type } });
}

/** Bodies: what can be read, in which format, and what is said of what cannot. */
export const bodyCases: readonly DifferentialCase[] = [
  {
    name: 'bodies-of-another-type',
    steps: [
      ...[
        { apiVersion: 'v1', kind: 'Secret' },
        { apiVersion: 'v2', kind: 'ConfigMap' },
        { apiVersion: 'apps/v1', kind: 'ConfigMap' },
        { apiVersion: 'a/b/c', kind: 'ConfigMap' },
        { apiVersion: '/v1', kind: 'ConfigMap' },
        { apiVersion: 'apps/v1', kind: 'Deployment' },
        { apiVersion: 'v1', kind: 'ConfigMapList' },
        { apiVersion: 'v1', kind: 'List' },
        { apiVersion: 'v1', kind: 'Status' },
        { apiVersion: 'v1', kind: 'DeleteOptions' },
        { apiVersion: 1, kind: 'ConfigMap' },
        { apiVersion: 'v1', kind: 2 },
      ].flatMap((type) => [
        create(configMaps, { ...type, metadata: { name: 'a' } }),
        update(`${configMaps}/a`, { ...type, metadata: { name: 'a' } }),
      ]),
    ],
  },
  {
    name: 'bodies-that-are-no-json',
    steps: [
      ...['', 'null', '[]', '1', 'true', '"x"', '{', 'xyz', '{"metadata":', "{'a':1}", '{"a":01}', '{"a":\u0001}'],
      ...['{"metadata":{"name":"a"}} trailing', '{"metadata":{"name":"a"},}', '\uFEFF{"metadata":{"name":"a"}}'],
    ].map((body) => create(configMaps, body)),
  },
  {
    name: 'bodies-with-wrong-values',
    steps: [
      ...['{}', '{"metadata":null}', '{"metadata":[]}', '{"metadata":"x"}', '{"metadata":{"name":1}}'],
      ...['{"metadata":{"name":"a","labels":[]}}', '{"metadata":{"name":"a","labels":{"a":1}}}'],
      ...['{"metadata":{"name":"a","generation":"x"}}', '{"metadata":{"name":"a","creationTimestamp":"x"}}'],
      ...['{"metadata":{"name":"a"},"data":[]}', '{"metadata":{"name":"a"},"data":{"x":1}}'],
      ...['{"metadata":{"name":"a"},"binaryData":{"x":"%"}}', '{"metadata":{"name":"a"},"immutable":"yes"}'],
    ].map((body) => create(configMaps, body)),
  },
  {
    name: 'unknown-and-duplicate-fields',
    steps: [
      '',
      '?fieldValidation=Warn',
      '?fieldValidation=Strict',
      '?fieldValidation=Ignore',
      '?fieldValidation=warn',
    ].flatMap((query, index) => [
      create(configMaps + query, `{"metadata":{"name":"a${index}","bar":2},"foo":1,"data":{"x":"1","x":"2"}}`),
      create(configMaps + query, `{"metadata":{"name":"b${index}","Name":"b"},"Data":{"x":"y"}}`),
      create(
        ingresses + query,
        `{"metadata":{"name":"a${index}"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80,"foo":1}},"z":1},"rules":[{"host":"a.b","hots":1},{"host":"a.b","host":"c.d"}]}}`,
      ),
      create(configMaps + query, `metadata:\n  name: c${index}\nfoo: 1\ndata:\n  x: "1"\n  x: "2"\n`, yaml),
      create(configMaps + query, `metadata: {name: d${index}, bar: {}}\n`, yaml),
    ]),
  },
  {
    name: 'many-unknown-fields',
    steps: ['', '?fieldValidation=Strict'].map((query) =>
      create(
        configMaps + query,
        `{"metadata":{"name":"a"},${Array.from({ length: 120 }, (_, index) => `"f${index}":1`).join(',')}}`,
      ),
    ),
  },
  {
    name: 'yaml-bodies',
    steps: [
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {x: "1"}\n',
      '---\nmetadata:\n  name: b\n---\nmetadata:\n  name: c\n',
      '{"metadata":{"name":"e"}}',
      '',
      '- a',
      'metadata:\n  name: yes\n',
      'metadata:\n  name: 1\n',
      'metadata:\n  name: f\ndata:\n  d: 2020-01-01\n',
      'metadata: &m\n  name: g\ndata:\n  <<: *m\n',
      'metadata:\n  name: i\ndata:\n  1: "a"\n  true: "b"\n',
      'metadata:\n  name: j\ndata:\n  x: 1\n',
    ].map((body) => create(configMaps, body, yaml)),
  },
  {
    name: 'media-types-of-bodies',
    steps: [
      ...['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8', 'APPLICATION/JSON'],
      ...['application/json;', 'application/json; x', '*/*', 'application/*', 'application/cbor', 'json', 'a/b/c'],
      ...['application/merge-patch+json', 'application/yaml; charset=utf-8'],
    ].flatMap((type, index) => [
      createAs(type, makeConfigMap(`m${index}`)),
      update(`${configMaps}/m${index}`, makeConfigMap(`m${index}`), { headers: { 'content-type': type } }),
      remove(`${configMaps}/m${index}`, '{}', { headers: { 'content-type': type } }),
    ]),
  },
  {
    name: 'protobuf-bodies',
    steps: [
      createAs('application/vnd.kubernetes.protobuf', encodeConfigMap('a')),
      createAs('application/vnd.kubernetes.protobuf', encodeConfigMap('b', 'Secret')),
      createAs('application/vnd.kubernetes.protobuf', encodeConfigMap('c', 'ConfigMap', 'v2')),
      createAs('application/vnd.kubernetes.protobuf', '{}'),
      update(`${configMaps}/a`, encodeConfigMap('a'), {
        headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      }),
      createAs('application/json', encodeConfigMap('d')),
    ],
  },
];
