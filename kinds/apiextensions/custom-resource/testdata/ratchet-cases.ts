import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import type { CustomCase, CustomWrite } from './custom-case.ts';

const text: JsonSchemaProps = { type: 'string' };
const open: JsonSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function tightened(name: string, properties: NonNullable<JsonSchemaProps['properties']>, ...writes: readonly CustomWrite[]): CustomCase {
  return { name, oldSchema: open, schema: { type: 'object', properties: { ...properties, other: text } }, writes };
}

const list = (more: Partial<JsonSchemaProps>): JsonSchemaProps => ({
  type: 'array',
  maxItems: 5,
  items: { type: 'object', properties: { name: { type: 'string', maxLength: 4 }, v: { type: 'integer', maximum: 5 } } },
  ...more,
});
const named = list({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 4 }, v: { type: 'integer', maximum: 5 } } },
});
const status: JsonSchemaProps = { type: 'object', properties: { a: { type: 'string', maxLength: 2 }, b: { type: 'integer', maximum: 5 } } };

/** Objects that a schema would no longer take, and changes of them. */
export const ratchetCases: readonly CustomCase[] = [
  tightened('ratchet-string', { a: { type: 'string', maxLength: 2, pattern: '^a' } }, { old: { a: 'xxx' }, spec: { a: 'xxx', other: 'y' } }, { old: { a: 'xxx' }, spec: { a: 'xxxx' } }, { old: { a: 'xxx' }, spec: { a: 'aa' } }, { old: {}, spec: { a: 'xxx' } }),
  tightened('ratchet-types', { a: { type: 'integer' }, b: { type: 'string', enum: ['x'] } }, { old: { a: 'text', b: 'y' }, spec: { a: 'text', b: 'y', other: 'z' } }, { old: { a: 'text', b: 'y' }, spec: { a: 'other', b: 'z' } }),
  tightened('ratchet-required', { o: { type: 'object', required: ['k'], properties: { k: text, l: text } } }, { old: { o: { l: 'x' } }, spec: { o: { l: 'x' }, other: 'y' } }, { old: { o: { l: 'x' } }, spec: { o: { l: 'y' } } }),
  tightened('ratchet-lists', { l: list({}) }, { old: { l: [{ name: 'toolong', v: 9 }] }, spec: { l: [{ name: 'toolong', v: 9 }], other: 'y' } }, { old: { l: [{ name: 'toolong', v: 9 }] }, spec: { l: [{ name: 'toolong', v: 9 }, { name: 'b' }] } }),
  tightened('ratchet-map-lists', { l: named }, { old: { l: [{ name: 'a', v: 9 }, { name: 'b', v: 8 }] }, spec: { l: [{ name: 'b', v: 8 }, { name: 'a', v: 9 }] } }, { old: { l: [{ name: 'a', v: 9 }, { name: 'b', v: 8 }] }, spec: { l: [{ name: 'b', v: 7 }, { name: 'a', v: 9 }, { name: 'c', v: 9 }] } }),
  tightened('ratchet-maps', { m: { type: 'object', additionalProperties: { type: 'integer', maximum: 5 }, maxProperties: 2 } }, { old: { m: { a: 9, b: 8, c: 1 } }, spec: { m: { a: 9, b: 8, c: 2 } } }, { old: { m: { a: 9 } }, spec: { m: { a: 9, b: 1 } } }),
  tightened('ratchet-any-of', { a: { type: 'string', anyOf: [{ pattern: '^a' }, { pattern: '^b' }] }, o: { type: 'object', properties: { p: text }, allOf: [{ properties: { p: { maxLength: 2 } } }] } }, { old: { a: 'x', o: { p: 'long' } }, spec: { a: 'x', o: { p: 'long' }, other: 'y' } }, { old: { a: 'x' }, spec: { a: 'y' } }),
  tightened('ratchet-set', { s: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } }, { old: { s: ['a', 'a'] }, spec: { s: ['a', 'a', 'b'] } }, { old: { s: ['a'] }, spec: { s: ['a', 'a'] } }),
  tightened('ratchet-rules', { a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 5', message: 'too large' }] }, o: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.p != "x"' }], properties: { p: { type: 'string', maxLength: 9 }, q: { type: 'string', maxLength: 9 } } }, t: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > oldSelf', message: 'must grow' }] } }, { old: { a: 9, o: { p: 'x' } }, spec: { a: 9, o: { p: 'x' }, other: 'y' } }, { old: { a: 9, o: { p: 'x' } }, spec: { a: 10, o: { p: 'x', q: 'y' } } }, { old: { t: 5 }, spec: { t: 5, other: 'y' } }),
  tightened('ratchet-rules-in-lists', { l: { type: 'array', maxItems: 5, items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 5' }] } }, m: { ...named, items: { ...(named.items as JsonSchemaProps), 'x-kubernetes-validations': [{ rule: '!has(self.v) || self.v < 2' }] } } }, { old: { l: [9], m: [{ name: 'a', v: 3 }] }, spec: { l: [9], m: [{ name: 'a', v: 3 }], other: 'x' } }, { old: { l: [9], m: [{ name: 'a', v: 3 }] }, spec: { l: [9, 1], m: [{ name: 'b' }, { name: 'a', v: 3 }] } }),
  {
    name: 'ratchet-status',
    isRoot: true,
    oldSchema: { type: 'object', properties: { spec: open, status: open } },
    schema: { type: 'object', 'x-kubernetes-validations': [{ rule: '!has(self.status) || self.status.b != 3' }], properties: { spec: { type: 'object', properties: { a: { type: 'integer', maximum: 3 } } }, status } },
    version: { subresources: { status: {} } },
    writes: [
      { object: { spec: { a: 1 }, status: { a: 'kept' } } },
      { oldObject: { spec: { a: 9 }, status: { a: 'toolong', b: 9 } }, object: { spec: { a: 1 }, status: { a: 'toolong', b: 9, z: 1 } }, isStatus: true },
      { oldObject: { spec: { a: 9 }, status: { a: 'toolong' } }, object: { status: { a: 'alsotoolong', b: 9 } }, isStatus: true },
      { oldObject: { spec: { a: 9 } }, object: { spec: { a: 2 }, status: { b: 3 } }, isStatus: true },
      { oldObject: { spec: { a: 9 } }, object: { spec: { a: 9 } }, isStatus: true },
      { oldObject: { spec: { a: 1 } }, object: { spec: { a: 2 }, status: { a: 'ignored' } } },
      { oldObject: { spec: { a: 1 } }, object: { spec: { a: 1 } } },
      { oldObject: { spec: { a: 9 } }, object: { spec: { a: 10 } } },
      { oldObject: { spec: { a: 1 } }, object: { status: 5 }, isStatus: true },
    ],
  },
  {
    name: 'scaled',
    isRoot: true,
    schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { replicas: { type: 'integer' } } }, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } } } },
    version: { subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' } } },
    writes: [
      { object: { spec: { replicas: -1 } } },
      { object: { spec: { replicas: 3_000_000_000 } } },
      { object: { spec: { replicas: 1.5 } } },
      { object: { spec: { replicas: 'x' } } },
      { object: { spec: 5 } },
      { object: { spec: null } },
      { oldObject: {}, object: { status: { replicas: -1, selector: 5 } }, isStatus: true },
      { oldObject: {}, object: { status: { replicas: 1, selector: 'a=b' } }, isStatus: true },
    ],
  },
]; // prettier-ignore
