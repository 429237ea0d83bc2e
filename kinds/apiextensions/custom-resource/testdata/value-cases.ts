import type { JsonObject } from '../../../../core/meta/json.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import type { CustomCase, CustomWrite } from './custom-case.ts';

function values(name: string, schema: JsonSchemaProps, ...list: readonly unknown[]): CustomCase {
  return {
    name,
    schema: { type: 'object', properties: { x: schema } },
    writes: list.map((x): CustomWrite => ({ spec: { x } })),
  };
}

function wholes(name: string, schema: JsonSchemaProps, ...list: readonly unknown[]): CustomCase {
  return { name, schema, writes: list.map((spec): CustomWrite => ({ spec })) };
}

const anyJson: readonly unknown[] = ['text', '', 5, -3, 1.5, true, false, null, [], [1], {}, { a: 1 }];
const formats: Readonly<Record<string, readonly string[]>> = {
  bsonobjectid: ['507f1f77bcf86cd799439011', '507f1f77bcf86cd79943901', 'zz7f1f77bcf86cd799439011', ''],
  uri: ['http://a.b/c?d#e', '/path', 'path', 'http://[::1', 'a b', '', 'mailto:a@b', '//host', 'http://a b/', 'x:%zz'],
  email: [
    'a@b', 'a@b.c', 'A <a@b.c>', '"x y"@b', 'a', '@b', 'a@', 'a@b c', 'a..b@c', 'a@b (comment)', '<a@b>', '', 'ü@b.c', 'a@[1.2.3.4]', 'a,b@c', 'a@b,c@d',
    'First Last <a@b>', '"First, Last" <a@b>', 'a@b.', '.a@b',
  ],
  hostname: ['a', 'a.b', 'a-b.example.com', '-a', 'a-', 'a_b', '1.2.3.4', 'a..b', '', 'ex.c', 'ü.com', `${'a'.repeat(64)}.com`, 'example.com.'],
  ipv4: ['1.2.3.4', '01.2.3.4', '1.2.3', '::1', '::ffff:1.2.3.4', '256.1.1.1', ''],
  ipv6: ['::1', '1.2.3.4', '::ffff:1.2.3.4', '::ffff:01.2.3.4', 'fe80::1%eth0', '1:2:3:4:5:6:7:8', 'g::', ''],
  cidr: ['1.2.3.0/24', '1.2.3.4/24', '01.2.3.0/24', '::/0', '1.2.3.0/33', '1.2.3.0', '1.2.3.0/024', ''],
  mac: [
    '01:23:45:67:89:ab', '01-23-45-67-89-AB', '0123.4567.89ab', '01:23:45:67:89', '01:23:45:67:89:ab:cd:ef', '01:23-45:67:89:ab', '0123.4567.89ab.cdef', '',
    '01:23:45:67:89:zz', '1:23:45:67:89:ab',
  ],
  uuid: ['a8098c1a-f86e-11da-bd1a-00112444be1e', 'A8098C1AF86E11DABD1A00112444BE1E', 'a8098c1a', ''],
  uuid3: ['a8098c1a-f86e-31da-bd1a-00112444be1e', 'a8098c1a-f86e-41da-bd1a-00112444be1e'],
  uuid4: ['a8098c1a-f86e-41da-bd1a-00112444be1e', 'a8098c1a-f86e-41da-cd1a-00112444be1e'],
  uuid5: ['a8098c1a-f86e-51da-bd1a-00112444be1e', 'a8098c1a-f86e-41da-bd1a-00112444be1e'],
  isbn: ['0321751043', '978-0321751041', '0321751044', '978-0321751042', '032175104X', ''],
  isbn10: ['0321751043', '978-0321751041', '0-321-75104-3', '080442957X'],
  isbn13: ['978-0321751041', '0321751043'],
  creditcard: ['4111-1111-1111-1111', '4111-1111-1111-1112', '5500 0000 0000 0004', '1234'],
  ssn: ['111-11-1111', '111 11 1111', '11111111111', '111-11-111', '111111111'],
  hexcolor: ['#fff', 'fff', '#ffffff', '#ffff', 'ggg'],
  rgbcolor: ['rgb(1,2,3)', 'rgb( 1 , 2 , 255 )', 'rgb(1,2,256)', 'rgb(1,2)', 'rgba(1,2,3)'],
  byte: ['', 'YQ==', 'YWI=', 'YWJj', 'YW', 'Y_==', '!!!!'],
  password: ['', 'x'],
  date: ['2024-02-29', '2023-02-29', '2024-1-1', '2024-13-01', '', '20240101', '0000-01-01'],
  duration: ['1s', '1h30m', '1 day', '5 weeks', '-1.5h', 'x', '', '1', '0', '3 days 2 hours', '1d', '10 µs', '1.5 days', 'in 5 minutes or so', '99999999999999999999s'],
  datetime: ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.123+01:00', '2024-02-29t12:00:00z', '2024-02-29 12:00:00Z', '2024-02-29T24:00:00Z', '2024-02-29T12:00:00', ''],
  'date-time': ['2024-02-29T12:00:00Z', '2024-02-30T12:00:00Z', '2024-02-29T12:60:00Z', '2024-02-29T12:00:00x5Z'],
  'k8s-short-name': ['a', 'a-b', 'A', '-a', 'a.b', '', 'a'.repeat(63), 'a'.repeat(64)],
  'k8s-long-name': ['a', 'a.b', 'a..b', 'A.b', `${'a'.repeat(64)}.b`, 'a.'.repeat(127), 'a'.repeat(254)],
  int32: ['x', ''],
  unknown: ['x', ''],
}; // prettier-ignore

const embedded: JsonSchemaProps = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const sample: JsonObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { more: 1 } };

/** Schemas of one value, and values of all sorts. */
export const valueCases: readonly CustomCase[] = [
  values('type-string', { type: 'string' }, ...anyJson),
  values('type-integer', { type: 'integer' }, ...anyJson, 9007199254740993n, 1e30, 3.0000000001),
  values('type-number', { type: 'number' }, ...anyJson),
  values('type-boolean', { type: 'boolean' }, ...anyJson),
  values('type-array', { type: 'array', items: { type: 'integer' } }, ...anyJson, ['a', 'b'], [null], [[1]]),
  values('type-object', { type: 'object', properties: { a: { type: 'string' } } }, ...anyJson, { a: 'x', b: 'y' }),
  values('type-map', { type: 'object', additionalProperties: { type: 'string' } }, ...anyJson, { a: null, b: 'x', c: 2 }),
  values('int-or-string', { 'x-kubernetes-int-or-string': true }, ...anyJson),
  values('int-or-string-pattern', { 'x-kubernetes-int-or-string': true, pattern: '^[0-9]+%$', maximum: 5 }, '5%', 'x', 5, 6),
  values('nullable-string', { type: 'string', nullable: true }, ...anyJson),
  values('nullable-enum', { type: 'string', nullable: true, enum: ['a', 'b'] }, 'a', 'c', null),
  values('anything', { 'x-kubernetes-preserve-unknown-fields': true }, ...anyJson, { a: { b: null } }),
  values('open-object', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'object', properties: { b: { type: 'string' } } } } }, { a: { b: 'x', c: 1 }, d: { e: null } }, { a: null, d: null }, 5),
  values('string-bounds', { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z\u{1f600}]+$' }, '', 'a', 'ab', 'abcd', 'abcde', 'AB', '\u{1f600}\u{1f600}', '\u{1f600}'.repeat(5)),
  values('string-pattern', { type: 'string', pattern: String.raw`^(?i)a"\d+'` }, 'a"1\'', 'A"12\'', 'b"\n'),
  values('integer-bounds', { type: 'integer', minimum: 2, maximum: 10, multipleOf: 2 }, 1, 2, 3, 10, 11, 12, -4),
  values('integer-exclusive', { type: 'integer', minimum: 2, exclusiveMinimum: true, maximum: 10, exclusiveMaximum: true }, 2, 3, 9, 10),
  values('integer-fractions', { type: 'integer', minimum: 1.5, maximum: 3.5 }, 1, 2, 3, 4),
  values('integer-multiple-half', { type: 'integer', multipleOf: 0.5 }, 1),
  values('number-bounds', { type: 'number', minimum: 0.5, maximum: 1e21, multipleOf: 0.1 }, 0.4, 0.5, 0.55, 0.3, 1e22, 2, 1.2345e-7),
  values('number-exclusive', { type: 'number', minimum: 1.5, exclusiveMinimum: true, maximum: 2.5, exclusiveMaximum: true }, 1.5, 2, 2.5, 1, 3),
  values('number-large', { type: 'number', maximum: 1234567.5, minimum: 0.00001 }, 1234568, 0.000001, 12345678.25),
  values('enum-strings', { type: 'string', enum: ['b', 'a', 'c'] }, 'a', 'd', ''),
  values('enum-integers', { type: 'integer', enum: [3, 1] }, 1, 2),
  values('enum-numbers', { type: 'number', enum: [1, 1.5] }, 1, 1.5, 1.7, 2),
  values('enum-mixed', { 'x-kubernetes-preserve-unknown-fields': true, enum: ['a', 1, true, [1], { a: 1 }] }, 'a', 'b', 1, 97, true, false, [1], [2], { a: 1 }, { b: 2 }),
  values('enum-int-or-string', { 'x-kubernetes-int-or-string': true, enum: ['a', 5] }, 'a', 5, 97, 6, 'b'),
  values('array-bounds', { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } }, [], ['a'], ['a', 'b'], ['a', 'b', 'c'], [1, 2, 3]),
  values('map-bounds', { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { type: 'integer' } }, {}, { a: 1 }, { a: 1, b: 2, c: 3 }, { a: 'x', 'b.c': 'y' }),
  wholes('required', { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string' }, b: { type: 'object', required: ['c'], properties: { c: { type: 'string' } } } } }, {}, { a: 'x' }, { a: 'x', b: {} }, { a: '', b: { c: '' } }, { a: null, b: { c: null } }),
  wholes('set-of-strings', { type: 'object', properties: { x: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } } } }, { x: ['a', 'b'] }, { x: ['a', 'a', 'b', 'a', 'b'] }),
  wholes('set-of-objects', { type: 'object', properties: { x: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'integer' } } } } } }, { x: [{ a: 1 }, { a: 1 }, { a: 2 }] }),
  wholes('map-list', { type: 'object', properties: { x: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, v: { type: 'integer' } } } } } }, { x: [{ name: 'a' }, { name: 'b' }, { name: 'a', v: 1 }] }, { x: [{ v: 1 }, { v: 2 }] }, { x: [5, { name: 'a' }] }, { x: [null, { name: 'a' }] }),
  wholes('map-list-keys', { type: 'object', properties: { x: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port', 'protocol'], items: { type: 'object', required: ['port'], properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } } } } } }, { x: [{ port: 1 }, { port: 1, protocol: 'TCP' }, { port: 1, protocol: 'UDP' }] }, { x: [{ port: 1 }] }),
  wholes('nested-map-lists', { type: 'object', additionalProperties: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } } }, { 'a.b': ['x', 'x'] }),
  values('any-of', { type: 'string', anyOf: [{ pattern: '^a' }, { pattern: '^b', maxLength: 2 }] }, 'a', 'b', 'bbb', 'c'),
  values('one-of', { type: 'string', oneOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, 'a', 'b', 'ab', 'c'),
  values('all-of', { type: 'string', allOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, 'ab', 'a', 'c'),
  values('not', { type: 'string', not: { pattern: '^a' } }, 'a', 'b'),
  wholes('one-of-required', { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, oneOf: [{ required: ['a'] }, { required: ['b'] }] }, {}, { a: 'x' }, { b: 'x' }, { a: 'x', b: 'x' }),
  wholes('any-of-nested', { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'integer' }, c: { type: 'string' } } }, kind: { type: 'string' } }, anyOf: [{ properties: { kind: { enum: ['one'] }, a: { required: ['b'] } } }, { properties: { kind: { enum: ['two'] }, a: { required: ['c'], properties: { c: { minLength: 3 } } } } }] }, { kind: 'one', a: {} }, { kind: 'two', a: { c: 'x' } }, { kind: 'three', a: { b: 1, c: 'xxx' } }, { kind: 'one', a: { b: 1 } }),
  wholes('not-all-nested', { type: 'object', properties: { a: { type: 'array', items: { type: 'integer' } } }, not: { properties: { a: { minItems: 2 } } }, allOf: [{ properties: { a: { items: { maximum: 5 } } } }, { required: ['a'] }] }, { a: [1] }, { a: [6] }, { a: [1, 2] }, {}),
  values('embedded', embedded, sample, { kind: 'Pod' }, { apiVersion: 'v1' }, { apiVersion: 'a/b/c', kind: 'x y' }, { apiVersion: '', kind: '' }, { ...sample, metadata: { name: 'A B', namespace: 'x_', labels: { '-': '-' }, finalizers: ['plain'], unknown: 1 } }, { ...sample, metadata: null }, 5),
  values('embedded-wrong-types', embedded, { apiVersion: 5, kind: 'Pod' }, { ...sample, metadata: { labels: { a: 1 } } }, { ...sample, metadata: 'x' }),
  wholes('embedded-items', { type: 'object', properties: { x: { type: 'array', items: embedded } } }, { x: [sample, { kind: 'a' }] }),
  wholes('defaults', { type: 'object', default: {}, properties: { a: { type: 'string', default: 'aa' }, n: { type: 'string', nullable: true, default: 'nn' }, o: { type: 'object', default: { p: 'q' }, properties: { p: { type: 'string' }, r: { type: 'integer', default: 3 } } }, list: { type: 'array', items: { type: 'object', properties: { v: { type: 'integer', default: 7 } } } }, texts: { type: 'array', items: { type: 'string', default: 'x' } }, map: { type: 'object', additionalProperties: { type: 'integer', default: 9 } } } }, {}, undefined, null, { a: null, n: null, o: null, list: null }, { o: {}, list: [{}, { v: 1 }, null], texts: [null, 'y'], map: { a: null, b: 1 } }, { a: '' }),
  wholes('pruned-nulls', { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object', properties: { c: { type: 'integer' } } }, l: { type: 'array', items: { type: 'string' } } } }, { a: null, b: null, z: null }, { b: { c: null, d: null }, l: [null] }),
  wholes('unknown-fields', { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string' } } }, l: { type: 'array', items: { type: 'object', properties: { c: { type: 'string' } } } }, m: { type: 'object', additionalProperties: { type: 'object', properties: { d: { type: 'string' } } } } } }, { z: 1, a: { z: 1, b: 'x' }, l: [{ c: 'x', z: 1 }], m: { k: { d: 'x', z: 2 } } }),
  wholes('open-lists', { type: 'object', properties: { l: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string' } } } } } } } }, { l: [{ x: 1, a: { b: 'y', c: 2 } }, { a: { b: 'z' } }] }),
  ...Object.entries(formats).map(([format, texts]) => values(`format-${format}`, { type: 'string', format }, ...texts)),
  values('format-other-types', { type: 'string', format: 'date' }, 5, 1.5, true, [1], { a: 1 }, null),
  values('format-nullable', { type: 'string', format: 'uuid', nullable: true }, null, 'x'),
  {
    name: 'whole-object',
    isRoot: true,
    schema: {
      type: 'object',
      required: ['spec'],
      properties: {
        metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 30, pattern: '^w' } } },
        spec: { type: 'object', properties: { a: { type: 'string' } } },
        other: { type: 'string' },
      },
    },
    writes: [
      { object: {} },
      { object: { spec: {}, other: 'x', more: 1 } },
      { object: { metadata: { finalizers: ['plain', 'a.b', 'a.b/c', 'kubernetes', 'b c'] }, spec: {} } },
      { object: { metadata: { labels: { '-': 'x' }, annotations: { 'a b': '' } }, spec: {} } },
      { object: { metadata: { labels: { a: 5 } }, spec: {} } },
      { object: { metadata: { unknown: 5, managedFields: [] }, spec: {} } },
    ],
  },
]; // prettier-ignore
