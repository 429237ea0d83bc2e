import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import { isJsonObject } from '../../../core/meta/json.ts';
import type { StructuralSchema } from '../../../core/schema/structural-schema.ts';
import { Mutator } from '../../crds/mutate-value.ts';
import type { Draw } from './draw.ts';

/** Values of every type, for places that expect another one. */
const strangers: readonly JsonValue[] = [
  ...['text', '', '7', 0, 7, -1, 1.5, 1e20, true, false, null, [], [null], [''], [{}], {}, { a: 'b' }, { '': null }],
];
const names = [
  ...['a', 'A', 'a.b', 'a-b', '-a', 'a_b', 'a/b', '.', '..', 'a%b', 'é', '', ' ', '0', 'a'.repeat(63), 'a'.repeat(64)],
  ...['a'.repeat(253), 'a'.repeat(254), `${'a'.repeat(63)}.b`],
];
const keys = [
  ...['a', 'example.com/a', 'example.com/', '/a', 'a/b/c', 'A_b', '-a', '', 'é', 'Example.com/a', 'a'.repeat(64)],
];
const texts = ['', 'a', 'A_b', '-a', 'a b', 'é', 'a'.repeat(63), 'a'.repeat(64), 7, null];
const owners: readonly JsonValue[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '5' },
  { apiVersion: '', kind: 'ConfigMap', name: 'a', uid: '5' },
  { apiVersion: 'a/b/c', kind: '', name: '', uid: '' },
  { apiVersion: 'v1', kind: 'Event', name: 'a', uid: '5' },
  { apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: '6', controller: true },
  { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: '7', controller: true, blockOwnerDeletion: true },
];
const finalizers = ['example.com/a', 'orphan', 'foregroundDeletion', 'a', '', 'kubernetes', 'a/b/c', 'Example.com/A b'];

function drawMap(draw: Draw): JsonObject {
  const count = 1 + draw.below(2);
  return Object.fromEntries(Array.from({ length: count }, () => [draw.pick(keys), draw.pick(texts)]));
}

/**
 * Metadata with one field more, changed or strange; where it `isStored` no finalizers, which would leave the object behind, and no owners,
 * for want of which it would go.
 */
export function changeMetadata(draw: Draw, metadata: JsonObject, isStored: boolean): JsonObject {
  const changes: (() => JsonObject)[] = [
    () => ({ labels: drawMap(draw) }),
    () => ({ annotations: drawMap(draw) }),
    () => ({ generateName: draw.pick(names) }),
    () => ({ namespace: draw.pick(['default', 'other', '', 'A']) }),
    () => ({ generation: draw.pick([0, 7, -1, 'x']) }),
    () => ({ creationTimestamp: draw.pick([null, 'x', '2020-01-01T00:00:00Z', 7]) }),
    () => ({ selfLink: '/a' }),
    () => ({ deletionGracePeriodSeconds: 5 }),
    () => ({ [draw.pick(['labels', 'annotations', 'finalizers', 'uid', 'managedFields'])]: draw.pick(strangers) }),
  ];
  if (!isStored) {
    changes.push(
      () => ({ ownerReferences: Array.from({ length: 1 + draw.below(2) }, () => draw.pick(owners)) }),
      () => ({ finalizers: Array.from({ length: 1 + draw.below(2) }, () => draw.pick(finalizers)) }),
    );
  }
  return { ...metadata, ...draw.pick(changes)() };
}

/** The value with something of another type, or a field that no schema knows, at one place. */
export function confuseValue(draw: Draw, value: JsonValue): JsonValue {
  if (Array.isArray(value) && value.length > 0 && draw.happens(0.75)) {
    const at = draw.below(value.length);
    return value.map((item, i) => (i === at ? confuseValue(draw, item) : item));
  }
  if (isJsonObject(value) && Object.keys(value).length > 0 && draw.happens(0.75)) {
    const name = draw.pick(Object.keys(value));
    if (draw.happens(0.2)) return { ...value, [draw.pick(['unknown', 'Spec', 'Name', 'x-y'])]: draw.pick(strangers) };
    return { ...value, [name]: confuseValue(draw, value[name] ?? null) };
  }
  return draw.pick(strangers);
}

/** The part of an object with some values changed to others that its schema allows. */
export function changePart(draw: Draw, object: JsonObject, part: string, schema: StructuralSchema): JsonObject {
  const properties = schema.properties?.[part];
  if (properties === undefined) return object;
  const mutator = new Mutator(draw.next, []);
  return { ...object, [part]: mutator.mutate(object[part], properties, part) };
}
