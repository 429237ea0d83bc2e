import type { JsonSchemaProps, ValidationRule } from '../../custom-resource-definition/custom-resource-definition.ts';
import type { CustomCase, CustomWrite } from './custom-case.ts';

function ruled(name: string, properties: NonNullable<JsonSchemaProps['properties']>, rules: readonly (string | ValidationRule)[], ...writes: readonly CustomWrite[]): CustomCase {
  const list = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { name, schema: { type: 'object', properties, 'x-kubernetes-validations': list }, writes };
}

function specs(...list: readonly unknown[]): CustomWrite[] {
  return list.map((spec) => ({ spec }));
}

const int: JsonSchemaProps = { type: 'integer' };
const text: JsonSchemaProps = { type: 'string', maxLength: 50 };
const texts: JsonSchemaProps = { type: 'array', maxItems: 10, items: text };
const namedItems: JsonSchemaProps = {
  type: 'array',
  maxItems: 10,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name'],
    properties: { name: text, v: { ...int, 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'may only grow' }, { rule: 'self < 100' }] } },
  },
};

/** Rules in the language of expressions, and objects that keep or break them. */
export const ruleCases: readonly CustomCase[] = [
  ruled('rule-plain', { a: int, b: int }, ['self.a < self.b'], ...specs({ a: 1, b: 2 }, { a: 2, b: 1 }, { a: 1 }, {})),
  ruled('rule-messages', { a: int, t: text }, [{ rule: 'self.a < 1', message: '  a must be small  ' }, { rule: 'self.a < 2', messageExpression: '"t is " + self.t' }, { rule: 'self.a < 3', messageExpression: '""', message: 'fallback' }, { rule: 'self.a < 4', messageExpression: '"a\\nb"' }, { rule: 'self.a < 5', messageExpression: '1 / (self.a - 9) > 0 ? "x" : "y"', message: 'divided' }], ...specs({ a: 0 }, { a: 9 }, { a: 9, t: ' text ' }, { a: 9, t: 'a\nb' })),
  ruled('rule-reasons', { a: int, b: { type: 'object', properties: { 'c.d': text } }, m: { type: 'object', maxProperties: 5, additionalProperties: text } }, [{ rule: 'self.a < 1', reason: 'FieldValueForbidden', fieldPath: '.a' }, { rule: 'self.a < 1', reason: 'FieldValueRequired', fieldPath: ".b['c.d']" }, { rule: 'self.a < 1', reason: 'FieldValueDuplicate', fieldPath: '.m' }, { rule: 'self.a < 1', reason: 'FieldValueInvalid', message: 'invalid' }, { rule: 'self.a < 1', fieldPath: ".m['x']" }], ...specs({ a: 5 })),
  ruled('rule-nested', { list: { type: 'array', maxItems: 5, items: { type: 'object', properties: { v: { ...int, 'x-kubernetes-validations': [{ rule: 'self > 0' }] } } } }, map: { type: 'object', maxProperties: 5, additionalProperties: { ...text, 'x-kubernetes-validations': [{ rule: 'self.size() > 1' }] } } }, [], ...specs({ list: [{ v: 1 }, { v: 0 }], map: { 'a.b': 'x', c: 'xx' } })),
  ruled('rule-errors', { a: int, l: texts, x: { 'x-kubernetes-int-or-string': true } }, ['1 / self.a > 0', 'self.l[3] == "x"', 'self.x + 1 > 2', { rule: 'self.l[7] == ""', message: 'named' }], ...specs({ a: 0, l: ['a'], x: 'text' }, { a: 1, l: [], x: 5 })),
  ruled('rule-formats', { at: { type: 'string', format: 'date-time' }, on: { type: 'string', format: 'date' }, d: { type: 'string', format: 'duration' }, b: { type: 'string', format: 'byte', maxLength: 100 }, e: { type: 'string', format: 'email', maxLength: 100 } }, ['!has(self.at) || self.at > timestamp("2024-01-01T00:00:00Z")', '!has(self.on) || self.on.getFullYear() == 2024', '!has(self.d) || self.d > duration("1m")', '!has(self.b) || self.b.size() > 2', '!has(self.e) || self.e.endsWith(".org")'], ...specs({ at: '2023-01-01T00:00:00Z', on: '2023-05-05', d: '5s', b: 'YQ==', e: 'a@b.com' }, { at: '2025-01-01T00:00:00.5+02:00', on: '2024-05-05', d: '2 hours', b: 'YWJj', e: 'a@b.org' }, { at: 'x' })),
  ruled('rule-numbers', { f: { type: 'number' }, i: int, q: { 'x-kubernetes-int-or-string': true } }, ['self.f > 1.0', 'self.i * 2 == 6', 'type(self.q) == int ? self.q < 10 : self.q.endsWith("%")'], ...specs({ f: 1, i: 3, q: 5 }, { f: 2, i: 4, q: '5' }, { f: 1.5, i: 3, q: '5%' })),
  ruled('rule-nulls', { n: { type: 'string', nullable: true, maxLength: 9 }, o: { type: 'object', nullable: true, properties: { a: int } }, m: { type: 'object', maxProperties: 5, additionalProperties: { type: 'string', nullable: true, maxLength: 9 } } }, ['has(self.n)', '!has(self.o) || self.o.a > 0', '!has(self.m) || self.m.all(k, self.m[k] != "")'], ...specs({ n: null, o: null }, { n: 'x', m: { a: null } }, { n: 'x', o: { a: 0 }, m: { a: 'x' } })),
  ruled('rule-blocked', { a: { type: 'string', maxLength: 3 }, b: int }, ['self.b > 5'], ...specs({ a: 'xxxx', b: 1 }, { a: 5, b: 1 }, { b: 1 })),
  ruled('rule-invalid-not-blocked', { a: { type: 'string', maxLength: 9, pattern: '^a' }, b: int }, ['self.b > 5'], ...specs({ a: 'b', b: 1 })),
  ruled('rule-transition', { a: int, b: text }, [{ rule: 'self.a >= oldSelf.a', message: 'a may only grow' }, { rule: 'oldSelf.hasValue() ? self.b == oldSelf.value().b : true', optionalOldSelf: true, message: 'b is fixed' }], { spec: { a: 1, b: 'x' } }, { spec: { a: 1, b: 'y' }, old: { a: 2, b: 'x' } }, { spec: { a: 3, b: 'x' }, old: { a: 2, b: 'x' } }, { spec: { a: 3 }, old: { a: 2 } }),
  ruled('rule-map-list', { items: namedItems }, [], { spec: { items: [{ name: 'a', v: 1 }, { name: 'b', v: 150 }] } }, { spec: { items: [{ name: 'b', v: 1 }, { name: 'a', v: 5 }, { name: 'c', v: 0 }] }, old: { items: [{ name: 'a', v: 6 }, { name: 'b', v: 0 }] } }),
  ruled('rule-sets', { s: { type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'set', items: text }, m: { ...namedItems } }, [{ rule: 'self.s == ["a", "b"]' }, { rule: 'self.s + ["b", "c"] == ["a", "b", "c"]' }, { rule: 'oldSelf.s == self.s', message: 's is fixed' }], { spec: { s: ['b', 'a'] } }, { spec: { s: ['a', 'b'] }, old: { s: ['b', 'a'] } }, { spec: { s: ['x'] } }),
  ruled('rule-escapes', { 'a-b': int, 'c.d': int, namespace: int, __x: int }, ['self.a__dash__b > 0', 'self.c__dot__d > 0', 'self.__namespace__ > 0', 'self.__underscores__x > 0'], ...specs({ 'a-b': 0, 'c.d': 0, namespace: 0, __x: 0 }, { 'a-b': 1, 'c.d': 1, namespace: 1, __x: 1 })),
  ruled('rule-unknown-kept', { l: { type: 'array', maxItems: 5, items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: int, at: { type: 'string', format: 'date-time', nullable: true } } } } }, ['self.l[0] == self.l[1]'], ...[[{ a: 1, z: { y: 1 } }, { a: 1, z: { y: 1 } }], [{ a: 1, z: 1 }, { a: 1, z: 2 }], [{ a: 1 }, { a: 2 }], [{ at: '2024-01-01T00:00:00Z' }, { at: '2024-01-01T01:00:00+01:00' }], [{ a: 1, z: 1 }, { a: 1, y: 2 }], [{ a: 1, at: null }, { a: 1, at: null }]].map((l) => ({ spec: { l } }))),
  { name: 'rule-root', isRoot: true, schema: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.metadata.name.startsWith("w")' }, { rule: 'self.kind == "x"' }, { rule: 'self.spec.a > 1', fieldPath: '.spec.a' }], properties: { spec: { type: 'object', properties: { a: int } } } }, writes: [{ object: { spec: { a: 1 } } }] },
  { name: 'rule-embedded', isRoot: true, schema: { type: 'object', properties: { e: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-validations': [{ rule: 'self.kind == "Pod" && self.metadata.name == "a" && self.apiVersion == "v1"' }] } } }, writes: [{ object: { e: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } } } }, { object: { e: { apiVersion: 'v1', kind: 'Job', metadata: { name: 'a' } } } }] },
  ruled('rule-cost-of-one', { l: { type: 'array', maxItems: 700, items: { type: 'string', maxLength: 10 } }, a: int }, [{ rule: 'self.l.all(a, self.l.all(b, a != b || true))', message: 'never' }, 'self.a > 1'], { spec: { l: Array.from({ length: 700 }, (_, i) => `t${i}`), a: 1 } }, { spec: { l: Array.from({ length: 300 }, (_, i) => `t${i}`), a: 1 } }),
  ruled('rule-cost-of-all', { l: { type: 'array', maxItems: 300, items: { type: 'string', maxLength: 10 } }, a: int }, [...Array.from({ length: 30 }, () => 'self.l.all(a, self.l.all(b, a != b || true))'), 'self.a > 1'], { spec: { l: Array.from({ length: 290 }, (_, i) => `t${i}`), a: 1 } }),
  ruled('rule-libraries', { ip: text, cidr: text, url: text, q: text, s: text }, ['!has(self.ip) || isIP(self.ip) && ip(self.ip).family() == 4', '!has(self.cidr) || isCIDR(self.cidr)', '!has(self.url) || isURL(self.url) && url(self.url).getHost() == "a.b"', '!has(self.q) || quantity(self.q).isGreaterThan(quantity("1Gi"))', '!has(self.s) || self.s.matches("^[a-z]+$") && self.s.find("[a-c]+") == "abc"'], ...specs({ ip: '1.2.3.4', cidr: '1.2.3.0/24', url: 'http://a.b/', q: '2Gi', s: 'xabcx' }, { ip: '::1', cidr: 'x', url: 'http://c/', q: '1Mi', s: 'X' }, { q: 'x' })),
]; // prettier-ignore
