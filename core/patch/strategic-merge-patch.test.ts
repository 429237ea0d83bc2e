import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const text: StructuralSchema = { type: 'string' };

const schema: StructuralSchema = {
  type: 'object',
  goType: 'v1.Thing',
  properties: {
    name: text,
    labels: { type: 'object', values: text },
    finalizers: { type: 'array', items: text, patchStrategy: ['merge'] },
    args: { type: 'array', items: text },
    strategy: {
      type: 'object',
      patchStrategy: ['retainKeys'],
      properties: { type: text, rollingUpdate: { type: 'object', properties: { maxSurge: { type: 'integer' } } } },
    },
    whole: { type: 'object', patchStrategy: ['replace'], properties: { a: text } },
    maps: { type: 'object', values: { type: 'object', properties: { a: text } } },
    containers: {
      type: 'array',
      patchStrategy: ['merge'],
      patchMergeKey: 'name',
      items: {
        type: 'object',
        goType: 'v1.Container',
        properties: {
          name: text,
          image: text,
          ports: {
            type: 'array',
            patchStrategy: ['merge'],
            patchMergeKey: 'port',
            items: { type: 'object', properties: { port: { type: 'integer' }, protocol: text } },
          },
        },
      },
    },
    volumes: {
      type: 'array',
      patchStrategy: ['merge', 'retainKeys'],
      patchMergeKey: 'name',
      items: {
        type: 'object',
        properties: { name: text, emptyDir: { type: 'object' }, configMap: { type: 'object' } },
      },
    },
  },
};

const abc = {
  containers: [
    { name: 'a', image: '1' },
    { name: 'b', image: '2' },
    { name: 'c', image: '3' },
  ],
};

describe('applyStrategicMergePatch', () => {
  it.for<[string, JsonObject, JsonValue, JsonObject]>([
    [
      'merges objects and deletes by null',
      { labels: { a: '1', b: '2' } },
      { labels: { a: null, c: '3' } },
      { labels: { b: '2', c: '3' } },
    ],
    ['ignores null for what is absent', { name: 'x' }, { labels: null }, { name: 'x' }],
    ['drops nulls inside what it adds', {}, { labels: { a: null, b: '1' } }, { labels: { b: '1' } }],
    ['replaces lists without a strategy', { args: ['x', 'y'] }, { args: ['z'] }, { args: ['z'] }],
    [
      'replaces a map whose strategy says so',
      { whole: { a: '1', b: '2' } },
      { whole: { c: '3' } },
      { whole: { c: '3' } },
    ],
    [
      'replaces a map on $patch',
      { labels: { a: '1' } },
      { labels: { $patch: 'replace', b: '2' } },
      { labels: { b: '2' } },
    ],
    ['empties a map on $patch', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
    ['drops directives inside what it adds', {}, { labels: { $patch: 'replace', b: '2' } }, {}],
    [
      'merges items by key, new ones where the patch has them',
      abc,
      {
        containers: [
          { name: 'd', image: '4' },
          { name: 'b', image: '9' },
        ],
      },
      {
        containers: [
          { name: 'd', image: '4' },
          { name: 'a', image: '1' },
          { name: 'b', image: '9' },
          { name: 'c', image: '3' },
        ],
      },
    ],
    [
      'merges items of items',
      { containers: [{ name: 'a', ports: [{ port: 80 }] }] },
      { containers: [{ name: 'a', ports: [{ port: 81 }, { port: 80, protocol: 'UDP' }] }] },
      { containers: [{ name: 'a', ports: [{ port: 81 }, { port: 80, protocol: 'UDP' }] }] },
    ],
    [
      'deletes an item by key',
      abc,
      { containers: [{ name: 'b', $patch: 'delete' }] },
      {
        containers: [
          { name: 'a', image: '1' },
          { name: 'c', image: '3' },
        ],
      },
    ],
    [
      'replaces a list on $patch',
      abc,
      { containers: [{ $patch: 'replace' }, { name: 'z' }] },
      { containers: [{ name: 'z' }] },
    ],
    [
      'orders by $setElementOrder',
      abc,
      {
        $setElementOrder: undefined,
        '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }],
      },
      {
        containers: [
          { name: 'b', image: '2' },
          { name: 'c', image: '3' },
          { name: 'a', image: '1' },
        ],
      },
    ],
    [
      'merges and orders at once',
      abc,
      { '$setElementOrder/containers': [{ name: 'c' }, { name: 'd' }], containers: [{ name: 'd', image: '4' }] },
      {
        containers: [
          { name: 'a', image: '1' },
          { name: 'b', image: '2' },
          { name: 'c', image: '3' },
          { name: 'd', image: '4' },
        ],
      },
    ],
    [
      'lets added items take the places of deleted ones when it orders',
      { volumes: [{ name: 'v1' }, { name: 'v2' }] },
      {
        '$setElementOrder/volumes': [{ name: 'v3' }],
        volumes: [
          { name: 'v2', $patch: 'delete' },
          { name: 'v3', emptyDir: {} },
        ],
      },
      { volumes: [{ name: 'v1' }, { name: 'v3', emptyDir: {} }] },
    ],
    ['adds scalars once', { finalizers: ['a', 'b'] }, { finalizers: ['c', 'a'] }, { finalizers: ['c', 'a', 'b'] }],
    [
      'deletes scalars',
      { finalizers: ['a', 'b', 'c'] },
      { '$deleteFromPrimitiveList/finalizers': ['a', 'c', 'z'] },
      { finalizers: ['b'] },
    ],
    [
      'orders scalars',
      { finalizers: ['a', 'b'] },
      { '$setElementOrder/finalizers': ['b', 'a'] },
      { finalizers: ['b', 'a'] },
    ],
    [
      'retains keys',
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
      { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      { strategy: { type: 'Recreate' } },
    ],
    [
      'retains keys of items',
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { x: 'y' } }] },
      { volumes: [{ name: 'v', configMap: { x: 'y' } }] },
    ],
    ['keeps a list as null directs nothing else', { args: ['x'] }, {}, { args: ['x'] }],
    [
      'takes prototype names for ordinary keys',
      { labels: { a: '1' } },
      { labels: { constructor: 'x', toString: 'y' } },
      { labels: { a: '1', constructor: 'x', toString: 'y' } },
    ],
    ['adds fields that the schema does not know', { name: 'x' }, { foo: { a: 1 } }, { name: 'x', foo: { a: 1 } }],
  ])('%s', ([, document, patch, value]) => {
    const clean = JSON.parse(JSON.stringify(patch)) as JsonValue;
    const before = JSON.stringify([document, clean]);
    expect(applyStrategicMergePatch(document, clean, schema)).toEqual({ value });
    expect(JSON.stringify([document, clean])).toBe(before);
  });

  it.for<[JsonValue, string, string]>([
    [[], 'malformed', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [{ containers: [{}] }, 'unexpected', 'map: map[] does not contain declared merge key: name'],
    [{ containers: [{ image: 'x' }] }, 'unexpected', 'map: map[image:x] does not contain declared merge key: name'],
    [
      { containers: [{ $patch: 'delete' }] },
      'unexpected',
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      { containers: [1] },
      'unexpected',
      'list element types are not identical: [[map[image:1 name:a] map[image:2 name:b] map[image:3 name:c]] [1]]',
    ],
    [
      { containers: [{ $patch: 'merge', name: 'a' }] },
      'unexpected',
      'merging lists cannot yet be specified in the patch',
    ],
    [
      { containers: [{ $patch: 'foo', name: 'a' }] },
      'unexpected',
      'unknown patch type: foo in map: map[$patch:foo name:a]',
    ],
    [{ labels: { $patch: null } }, 'unexpected', 'unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]'],
    [{ labels: { $patch: 5 } }, 'unexpected', 'unknown patch type: %!s(int64=5) in map: map[$patch:5]'],
    [{ labels: { $patch: 1e30 } }, 'unexpected', 'unknown patch type: %!s(float64=1e+30) in map: map[$patch:1e+30]'],
    [{ labels: { $patch: true } }, 'unexpected', 'unknown patch type: %!s(bool=true) in map: map[$patch:true]'],
    [
      { labels: { $patch: ['a', 1, null, [2.5], { z: null, b: 't' }] } },
      'unexpected',
      'unknown patch type: [a %!s(int64=1) <nil> [%!s(float64=2.5)] map[b:t z:<nil>]] in map: map[$patch:[a 1 <nil> [2.5] map[b:t z:<nil>]]]',
    ],
    [
      { labels: { $patch: { n: null, a: 1, l: [] } } },
      'unexpected',
      'unknown patch type: map[a:%!s(int64=1) l:[] n:<nil>] in map: map[$patch:map[a:1 l:[] n:<nil>]]',
    ],
    [{ labels: { $retainKeys: 1 } }, 'malformed', 'invalid patch format of retainKeys'],
    [{ labels: { $retainKeys: ['a'], b: 'c' } }, 'malformed', 'invalid patch format of retainKeys'],
    [{ '$setElementOrder/containers': 1 }, 'unexpected', 'expected a []interface {}, but received a int64'],
    [{ $setElementOrder: [] }, 'malformed', 'invalid patch format of setElementOrder list'],
    [{ $deleteFromPrimitiveList: ['x'] }, 'malformed', 'invalid patch format of primitive list'],
    [{ '$setElementOrder/foo': [] }, 'unexpected', 'unable to find api field in struct Thing for the json field "foo"'],
    [
      { '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'a' }] },
      'unexpected',
      "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
    ],
    [
      { maps: { k: { a: '1' } } },
      'unexpected',
      'merging an object in json but data type is not struct, instead is: map',
    ],
  ])('refuses %j', ([patch, kind, fault]) => {
    const document = { ...abc, labels: { a: '1' }, maps: { k: {} } };
    expect(applyStrategicMergePatch(document, patch, schema)).toEqual({ fault, kind });
  });

  it('never throws, and never changes its inputs', () => {
    const directive = fc.constantFrom(
      '$patch',
      '$retainKeys',
      '$setElementOrder/containers',
      '$setElementOrder/finalizers',
      '$deleteFromPrimitiveList/finalizers',
      'name',
      'image',
      'ports',
      'port',
      'containers',
      'labels',
      'finalizers',
      'strategy',
      'maps',
      '__proto__',
      'constructor',
    );
    const value = fc.letrec<{ node: JsonValue }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'medium' },
        fc.constantFrom<JsonValue>('delete', 'replace', 'merge', 'a', 'b', 1, null, true),
        fc.array(tie('node'), { maxLength: 3 }),
        fc
          .array(fc.tuple(directive, tie('node')), { maxLength: 4 })
          .map((entries) => Object.fromEntries(entries) as JsonValue),
      ),
    })).node;
    const object = fc
      .array(fc.tuple(directive, value), { maxLength: 6 })
      .map((entries) => Object.fromEntries(entries) as JsonObject);
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const before = JSON.stringify([document, patch]);
        applyStrategicMergePatch(document, patch, schema);
        expect(JSON.stringify([document, patch])).toBe(before);
      }),
      { numRuns: 2000 },
    );
  });
});
