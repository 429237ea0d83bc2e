import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { decodeTyped } from './decode-typed.ts';
import { parseJson, parseJsonText } from './parse-json.ts';
import type { ParsedDocument } from './parsed-document.ts';

const text: StructuralSchema = { type: 'string', zero: 'omit' };

const metaSchema: StructuralSchema = {
  type: 'object',
  goType: 'v1.ObjectMeta',
  zero: 'fill',
  properties: {
    name: text,
    generation: { type: 'integer', format: 'int64', zero: 'omit' },
    creationTimestamp: { type: 'string', format: 'date-time', zero: 'omit' },
    labels: { type: 'object', values: { type: 'string' }, zero: 'omit' },
    finalizers: { type: 'array', items: { type: 'string' }, zero: 'omit' },
    ownerReferences: {
      type: 'array',
      zero: 'omit',
      items: {
        type: 'object',
        goType: 'v1.OwnerReference',
        properties: { name: { ...text, zero: 'fill' }, controller: { type: 'boolean', zero: 'keep' } },
      },
    },
  },
};

const schema: StructuralSchema = {
  type: 'object',
  definition: 'io.k8s.api.core.v1.Thing',
  properties: {
    apiVersion: text,
    kind: text,
    metadata: metaSchema,
    replicas: { type: 'integer', format: 'int32', zero: 'keep' },
    paused: { type: 'boolean', zero: 'omit' },
    enabled: { type: 'boolean', zero: 'keep' },
    ratio: { type: 'number', format: undefined, zero: 'keep' },
    port: { type: 'any', format: 'int-or-string', zero: 'keep' },
    since: { type: 'string', format: 'micro-time', zero: 'keep' },
    hard: {
      type: 'object',
      goType: 'v1.ResourceList',
      values: { type: 'string', format: 'quantity' },
      zero: 'omit',
    },
    data: { type: 'object', values: { type: 'string', format: 'byte' }, zero: 'omit' },
    protocol: { type: 'string', goType: 'v1.Protocol', zero: 'omit' },
    raw: { type: 'any', zero: 'keep' },
    open: { type: 'object', properties: { a: text }, preserveUnknown: true, zero: 'keep' },
    always: { ...text, zero: 'fill' },
    rules: { type: 'array', items: { type: 'object', properties: { a: text } }, zero: 'fill' },
  },
};

const filled = { metadata: {}, always: '', rules: [] };

function decodeText(json: string): ReturnType<typeof decodeTyped> {
  const parsed = parseJsonText(json) as ParsedDocument;
  return decodeTyped(parsed.value, schema, { notes: parsed.notes });
}

describe('decodeTyped on values', () => {
  it.for<[string, string, object]>([
    ['fills what is always written', '{}', filled],
    ['reads null as an empty object', 'null', filled],
    ['reads null as absent', '{"replicas":null,"metadata":null,"raw":null,"hard":null,"always":null}', filled],
    ['leaves zero values out', '{"paused":false,"protocol":"","hard":{},"kind":""}', filled],
    [
      'keeps zero values of pointers',
      '{"replicas":0,"enabled":false,"port":0,"open":{}}',
      { ...filled, replicas: 0, enabled: false, port: 0, open: {} },
    ],
    [
      'writes quantities in canonical form',
      '{"hard":{"cpu":"1000m","memory":"1024Ki","pods":3}}',
      { ...filled, hard: { cpu: '1', memory: '1Mi', pods: '3' } },
    ],
    [
      'reads a null in a map as a zero value',
      '{"hard":{"cpu":null},"metadata":{"labels":{"a":null}}}',
      { ...filled, hard: { cpu: '0' }, metadata: { labels: { a: '' } } },
    ],
    [
      'reads a null in a list as a zero value',
      '{"metadata":{"finalizers":[null],"ownerReferences":[null]}}',
      { ...filled, metadata: { finalizers: [''], ownerReferences: [{ name: '' }] } },
    ],
    [
      'writes times in UTC',
      '{"metadata":{"creationTimestamp":"2020-01-01T01:00:00.5+01:00"},"since":"2020-01-01T00:00:00.123456Z"}',
      { ...filled, metadata: { creationTimestamp: '2020-01-01T00:00:00Z' }, since: '2020-01-01T00:00:00.123456Z' },
    ],
    [
      'writes base64 in canonical form',
      '{"data":{"a":"YR==","b":"YQ\\n==","c":null}}',
      { ...filled, data: { a: 'YQ==', b: 'YQ==', c: '' } },
    ],
    ['takes a number or a text for int-or-string', '{"port":"50%"}', { ...filled, port: '50%' }],
    [
      'keeps raw values whole',
      '{"raw":{"x":[1.5,null,{"y":1}]},"open":{"a":"b","z":[1]}}',
      { ...filled, raw: { x: [1.5, null, { y: 1 }] }, open: { a: 'b', z: [1] } },
    ],
    [
      'keeps 64-bit integers exactly',
      '{"metadata":{"generation":9223372036854775807}}',
      { ...filled, metadata: { generation: 9223372036854775807n } },
    ],
    [
      'keeps prototype names in maps',
      '{"metadata":{"labels":{"constructor":"a","toString":"b"}}}',
      { ...filled, metadata: { labels: { constructor: 'a', toString: 'b' } } },
    ],
  ])('%s', ([, json, object]) => {
    expect(decodeText(json)).toEqual({ object, unknownFields: [], strictFaults: [] });
  });

  it('shares nothing with its input and does not change it', () => {
    const value = { raw: { x: [1] }, unknown: 1, hard: { cpu: '1000m' } };
    const before = JSON.stringify(value);
    const decoded = decodeTyped(value, schema) as unknown as { object: { raw: { x: number[] } } };
    decoded.object.raw.x.push(2);
    expect(JSON.stringify(value)).toBe(before);
  });

  it('keeps __proto__ as a key of a map', () => {
    const decoded = decodeText('{"metadata":{"labels":{"__proto__":"a"}}}') as unknown as {
      object: { metadata: { labels: object } };
    };
    expect(Object.keys(decoded.object.metadata.labels)).toEqual(['__proto__']);
  });
});

describe('decodeTyped on wrong types', () => {
  it.for<[string, string]>([
    [
      '{"metadata":{"name":1}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    ['{"metadata":[]}', 'json: cannot unmarshal array into Go struct field Thing.metadata of type v1.ObjectMeta'],
    ['{"hard":[]}', 'json: cannot unmarshal array into Go struct field Thing.hard of type v1.ResourceList'],
    [
      '{"metadata":{"labels":{"x":1}}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      '{"metadata":{"labels":[]}}',
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      '{"metadata":{"finalizers":[1]}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.finalizers of type string',
    ],
    [
      '{"metadata":{"ownerReferences":{}}}',
      'json: cannot unmarshal object into Go struct field ObjectMeta.metadata.ownerReferences of type []v1.OwnerReference',
    ],
    [
      '{"metadata":{"ownerReferences":[{"name":1}]}}',
      'json: cannot unmarshal number into Go struct field OwnerReference.metadata.ownerReferences.name of type string',
    ],
    [
      '{"metadata":{"generation":1.5}}',
      'json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      '{"metadata":{"generation":1.0}}',
      'json: cannot unmarshal number 1.0 into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      '{"metadata":{"generation":99999999999999999999}}',
      'json: cannot unmarshal number 99999999999999999999 into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      '{"metadata":{"generation":"1"}}',
      'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      '{"replicas":2147483648}',
      'json: cannot unmarshal number 2147483648 into Go struct field Thing.replicas of type int32',
    ],
    ['{"paused":"yes"}', 'json: cannot unmarshal string into Go struct field Thing.paused of type bool'],
    ['{"protocol":true}', 'json: cannot unmarshal bool into Go struct field Thing.protocol of type v1.Protocol'],
    ['{"port":true}', 'json: cannot unmarshal bool into Go struct field Thing.port of type int32'],
    [
      '{"metadata":{"creationTimestamp":1}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      '{"metadata":{"creationTimestamp":"1"}}',
      'parsing time "1" as "2006-01-02T15:04:05Z07:00": cannot parse "1" as "2006"',
    ],
    ['{"data":{"a":"***"}}', 'illegal base64 data at input byte 0'],
    ['{"data":{"a":1}}', 'json: cannot unmarshal number into Go struct field Thing.data of type []uint8'],
    [
      '{"hard":{"cpu":"x"}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ['[]', 'json: cannot unmarshal array into Go value of type v1.Thing'],
    ['"x"', 'json: cannot unmarshal string into Go value of type v1.Thing'],
  ])('answers %s as Go does', ([json, fault]) => {
    expect(decodeText(json)).toEqual({ fault });
  });

  it.for([
    ['{"data":{"a":null,"b":"eA=="}}', { a: '', b: 'eA==' }],
    ['{"data":{"a":[],"b":[120,121]}}', { a: '', b: 'eHk=' }],
  ] as const)('reads the bytes of %s', ([json, data]) => {
    expect(decodeText(json)).toMatchObject({ object: { data } });
  });

  it('reports the first of several wrong types, and a type that decodes itself before any', () => {
    expect(decodeText('{"paused":1,"replicas":"x"}')).toHaveProperty('fault', expect.stringContaining('Thing.paused'));
    expect(decodeText('{"paused":1,"hard":{"cpu":"x"}}')).toHaveProperty(
      'fault',
      expect.stringContaining('quantities'),
    );
  });

  it('refuses what a cyclic schema would follow without end', () => {
    const cyclic: StructuralSchema = {
      type: 'object',
      get properties(): Record<string, StructuralSchema> {
        return { a: cyclic };
      },
    };
    const parsed = parseJsonText('{"a":'.repeat(9_000) + '1' + '}'.repeat(9_000)) as ParsedDocument;
    expect(decodeTyped(parsed.value, cyclic)).toHaveProperty('fault');
  });
});

describe('decodeTyped on unknown and duplicate fields', () => {
  it.for<[string, string[]]>([
    ['{"foo":1}', ['unknown field "foo"']],
    ['{"Metadata":{}}', ['unknown field "Metadata"']],
    [
      '{"metadata":{"__proto__":{"x":1},"constructor":1}}',
      ['unknown field "metadata.__proto__"', 'unknown field "metadata.constructor"'],
    ],
    ['{"metadata":{"ownerReferences":[{},{"x":1}]}}', ['unknown field "metadata.ownerReferences[1].x"']],
    ['{"kind":"a","foo":1,"kind":"b","foo":2}', ['unknown field "foo"', 'duplicate field "kind"']],
    ['{"metadata":{"labels":{"a":"1","a":"2"}}}', ['duplicate field "metadata.labels.a"']],
    ['{"foo":{"a":1,"a":2},"raw":{"b":1,"b":2}}', ['unknown field "foo"']],
    ['{"metadata":{"name":"a"},"metadata":{"bar":1}}', ['unknown field "metadata.bar"', 'duplicate field "metadata"']],
  ])('reports those of %s', ([json, strictFaults]) => {
    expect(decodeText(json)).toMatchObject({ strictFaults });
  });

  it('reports no more than a hundred', () => {
    const fields = Array.from({ length: 150 }, (_, i) => `"f${i}":1`).join(',');
    expect((decodeText(`{${fields}}`) as { unknownFields: string[] }).unknownFields).toHaveLength(100);
  });
});

describe('decodeTyped on anything', () => {
  it('never throws on bytes that parse', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const parsed = parseJson(new TextEncoder().encode(json));
        if ('fault' in parsed) return;
        expect(decodeTyped(parsed.value, schema, { notes: parsed.notes })).toBeTypeOf('object');
      }),
    );
  });

  it('never throws on known fields of any type, and decodes its own results to themselves', () => {
    const field = fc.constantFrom(...Object.keys(schema.properties ?? {}), '__proto__', 'constructor');
    fc.assert(
      fc.property(fc.array(fc.tuple(field, fc.jsonValue())), (members) => {
        const json = `{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
        const decoded = decodeText(json);
        if ('fault' in decoded) return;
        const again = decodeTyped(decoded.object, schema);
        expect(again).toEqual({ object: decoded.object, unknownFields: [], strictFaults: [] });
      }),
      { numRuns: 500 },
    );
  });
});
