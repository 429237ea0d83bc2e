import type { JsonObject } from '../../../../core/meta/json.ts';
import { define, defineField, defineSchema, version, type DefinitionCase } from './definition-case.ts';

const text = { type: 'string' };
const bounded = { type: 'string', maxLength: 10 };

function rule(expression: string, more: Record<string, unknown> = {}): JsonObject {
  return { rule: expression, ...more };
}

function rules(...list: JsonObject[]): JsonObject {
  return { 'x-kubernetes-validations': list };
}

function fieldRule(expression: string, more: Record<string, unknown> = {}): JsonObject {
  return defineField({ type: 'object', properties: { a: bounded, b: { type: 'integer' }, m: { type: 'object', additionalProperties: text }, 'x.y': text, n: { type: 'object', properties: { o: text } } }, ...rules(rule(expression, more)) });
}

function rootRule(...list: JsonObject[]): JsonObject {
  return defineSchema({ type: 'object', properties: { spec: { type: 'object', properties: { a: bounded } } }, ...rules(...list) });
}

const listOf = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });
const changeRules = (...list: JsonObject[]) => (spec: JsonObject): void => {
  const [first] = spec['versions'] as { schema: { openAPIV3Schema: { properties: { spec: JsonObject } } } }[];
  Object.assign(first?.schema.openAPIV3Schema.properties.spec ?? {}, rules(...list));
};

/** Definitions that are right or wrong in their rules. */
export const ruleCases: readonly DefinitionCase[] = [
  { name: 'a rule', definition: fieldRule('self.b > 1') },
  { name: 'a rule with everything', definition: fieldRule('self.b > oldSelf.b', { message: 'm', messageExpression: '"b is " + string(self.b)', reason: 'FieldValueForbidden', fieldPath: '.b' }) },
  { name: 'an empty rule', definition: fieldRule(' ') },
  { name: 'a rule that is nothing', definition: fieldRule('') },
  { name: 'an empty message', definition: fieldRule('true', { message: ' ' }) },
  { name: 'a message of two lines', definition: fieldRule('true', { message: 'a\nb' }) },
  { name: 'a message that ends a line', definition: fieldRule('true', { message: 'a\n' }) },
  { name: 'a rule of two lines', definition: fieldRule('true &&\ntrue') },
  { name: 'a rule of two lines with a message', definition: fieldRule('true &&\ntrue', { message: 'm' }) },
  { name: 'an empty message expression', definition: fieldRule('true', { messageExpression: ' ' }) },
  { name: 'a message expression that is no text', definition: fieldRule('true', { messageExpression: 'self.b' }) },
  { name: 'a message expression that is none', definition: fieldRule('true', { messageExpression: 'self.z' }) },
  { name: 'a message expression that costs too much', definition: fieldRule('true', { messageExpression: 'self.m.all(k, self.m[k] == k) ? "a" : "b"' }) },
  { name: 'a reason that is none', definition: fieldRule('true', { reason: 'Invalid' }) },
  { name: 'an empty reason', definition: fieldRule('true', { reason: '' }) },
  { name: 'an empty field path', definition: fieldRule('true', { fieldPath: ' ' }) },
  { name: 'a field path of two lines', definition: fieldRule('true', { fieldPath: '.a\n' }) },
  { name: 'a field path that leads nowhere', definition: fieldRule('true', { fieldPath: '.z' }) },
  { name: 'a field path without dot', definition: fieldRule('true', { fieldPath: 'a' }) },
  { name: 'a field path in brackets', definition: fieldRule('true', { fieldPath: "['x.y']" }) },
  { name: 'a field path into a map', definition: fieldRule('true', { fieldPath: ".m['a\\'b']" }) },
  { name: 'a field path into a field', definition: fieldRule('true', { fieldPath: '.n.o' }) },
  { name: 'a field path with a wrong escape', definition: fieldRule('true', { fieldPath: "['x\\qy']" }) },
  { name: 'a field path with an open bracket', definition: fieldRule('true', { fieldPath: "['a'" }) },
  { name: 'a field path with brackets and no quotes', definition: fieldRule('true', { fieldPath: '[a]' }) },
  { name: 'a syntax error', definition: fieldRule('self.b >') },
  { name: 'a name that nobody knows', definition: fieldRule('that.b > 1') },
  { name: 'a field that is not there', definition: fieldRule('self.z > 1') },
  { name: 'types that do not fit', definition: fieldRule('self.b == "a"') },
  { name: 'a rule that is no condition', definition: fieldRule('self.b') },
  { name: 'a rule of any type', definition: fieldRule('dyn(true)') },
  { name: 'a pattern in a rule that is none', definition: fieldRule('self.a.matches("[a")') },
  { name: 'a duration that is none', definition: fieldRule('duration("1x") == duration("1s")') },
  { name: 'several errors', definition: fieldRule('self.x + self.y == z && foo(1)') },
  { name: 'a function of a later version', definition: fieldRule('[1, 2].distinct().size() == 2') },
  { name: 'a rule of the root', definition: rootRule(rule('self.metadata.name == self.spec.a')) },
  { name: 'a rule of the labels', definition: rootRule(rule('has(self.metadata.labels)')) },
  { name: 'two rules of the root', definition: rootRule(rule('self.z'), rule('self.spec.a == 1', { optionalOldSelf: true })) },
  { name: 'rules of several schemas', definition: defineSchema({ type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string', ...rules(rule('self == 1')) }, b: { type: 'integer', ...rules(rule('self == ""')) } }, ...rules(rule('self.c')) } }, ...rules(rule('self.d')) }) },
  { name: 'a rule beside a fault of the schema', definition: defineSchema({ type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'array', items: text, uniqueItems: true } }, ...rules(rule('self.z')) } }, ...rules(rule('self.z')) }) },
  { name: 'a rule below a fault of the schema', definition: defineSchema({ type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string', ...rules(rule('self.z')) } }, 'x-kubernetes-map-type': 'x' } } }) },
  { name: 'a rule of what expressions cannot see', definition: defineField({ 'x-kubernetes-preserve-unknown-fields': true, ...rules(rule('true')) }) },
  { name: 'a rule of an object of anything', definition: defineField({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...rules(rule('self.a == 1')) }) },
  { name: 'a rule of a map of anything', definition: defineField({ type: 'object', additionalProperties: true, ...rules(rule('self.size() == 1')) }) },
  { name: 'a rule of a map of what expressions cannot see', definition: defineField({ type: 'object', additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true }, ...rules(rule('true')) }) },
  { name: 'a rule of an integer or text', definition: defineField({ 'x-kubernetes-int-or-string': true, ...rules(rule('self == 5 || self == "5%"')) }) },
  { name: 'a rule of an embedded resource', definition: defineField({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true, ...rules(rule('self.metadata.name == self.kind')) }) },
  { name: 'a rule of a field with a reserved name', definition: defineField({ type: 'object', properties: { namespace: text, 'a-b': text, 'x.y/z': text, in: text }, ...rules(rule('self.__namespace__ == self.a__dash__b && self.x__dot__y__slash__z == self.__in__')) }) },
  { name: 'a rule of a field by its plain name', definition: defineField({ type: 'object', properties: { namespace: bounded, b: bounded }, ...rules(rule('self.namespace == self.b')) }) },
  { name: 'formats in rules', definition: defineField({ type: 'object', properties: { d: { type: 'string', format: 'date' }, t: { type: 'string', format: 'date-time' }, s: { type: 'string', format: 'duration' }, y: { type: 'string', format: 'byte', maxLength: 5 } }, ...rules(rule('self.d < self.t && self.s < duration("1h") && self.y.size() > 1')) }) },
  { name: 'a rule of a name of the metadata', definition: defineSchema({ type: 'object', properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5, ...rules(rule('self.contains("abcdefghijklmnopqrstuvwxyz")')) } } } } }) },
  { name: 'a rule of a name of the metadata below a rule', definition: defineSchema({ type: 'object', properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5, ...rules(rule('self.matches(self + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")')) } } } }, ...rules(rule('true')) }) },
  { name: 'rules of items of what is no list', definition: defineSchema({ type: 'object', items: { type: 'string', ...rules(rule('self == "a"')) }, ...rules(rule('true')) }) },
  { name: 'a rule of items of what is no list', definition: defineSchema({ type: 'object', items: { type: 'string', ...rules(rule('self == 1')) } }) },
  // Old values
  { name: 'an old value of a field', definition: fieldRule('self.a == oldSelf.a') },
  { name: 'an old value that may be absent', definition: fieldRule('!oldSelf.hasValue() || self.a == oldSelf.value().a', { optionalOldSelf: true }) },
  { name: 'an old value that may be absent and is not asked', definition: fieldRule('self.a == "a"', { optionalOldSelf: true }) },
  { name: 'an old value that may not be absent and is not asked', definition: fieldRule('self.a == "a"', { optionalOldSelf: false }) },
  { name: 'an old value taken as present', definition: fieldRule('self.a == oldSelf.a', { optionalOldSelf: true }) },
  { name: 'old items', definition: defineField(listOf({ type: 'integer', ...rules(rule('self > oldSelf')) }, { maxItems: 3 })) },
  { name: 'old items of a set', definition: defineField(listOf({ type: 'integer', ...rules(rule('self > oldSelf')) }, { maxItems: 3, 'x-kubernetes-list-type': 'set' })) },
  { name: 'old items of a map', definition: defineField(listOf({ type: 'object', required: ['k'], properties: { k: text, v: { type: 'integer' } }, ...rules(rule('self.v > oldSelf.v')) }, { maxItems: 3, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] })) },
  { name: 'old fields of an atomic object', definition: defineField({ type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'integer', ...rules(rule('self > oldSelf')) } } }) },
  { name: 'old fields of an atomic object within a list', definition: defineField(listOf({ type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'integer', ...rules(rule('self > oldSelf')) } } }, { maxItems: 2 })) },
  { name: 'old values of a map', definition: defineField({ type: 'object', additionalProperties: { type: 'integer', ...rules(rule('self > oldSelf')) }, maxProperties: 4 }) },
  { name: 'old values of an atomic map', definition: defineField({ type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'integer', ...rules(rule('self > oldSelf')) }, maxProperties: 4 }) },
  // Costs
  { name: 'a rule that costs too much', definition: defineField(listOf(text, rules(rule('self.all(x, self.all(y, x != y))')))) },
  { name: 'a rule that costs a little too much', definition: defineField(listOf({ type: 'string', maxLength: 5 }, { maxItems: 1300, ...rules(rule('self.all(x, self.all(y, x != y))')) })) },
  { name: 'a rule that costs some times too much', definition: defineField(listOf({ type: 'string', maxLength: 5 }, { maxItems: 2000, ...rules(rule('self.all(x, self.all(y, x != y))')) })) },
  { name: 'a rule of unbounded items', definition: defineField(listOf({ type: 'string', maxLength: 5, ...rules(rule('self.startsWith("a")')) })) },
  { name: 'a rule of unbounded long items', definition: defineField(listOf({ type: 'string', ...rules(rule('self.contains("abc")')) })) },
  { name: 'a rule of unbounded objects', definition: defineField(listOf({ type: 'object', required: ['name', 'other'], properties: { name: text, other: { type: 'string', default: 'x' } }, ...rules(rule('self.name.contains("abc")')) })) },
  { name: 'a rule of bounded items', definition: defineField(listOf({ type: 'string', maxLength: 5, ...rules(rule('self.startsWith("a")')) }, { maxItems: 10 })) },
  { name: 'a rule within bounded maps of bounded lists', definition: defineField({ type: 'object', maxProperties: 1000, additionalProperties: listOf({ type: 'string', maxLength: 100, ...rules(rule('self.contains("abcdefghijklmnopqrst")')) }, { maxItems: 1000 }) }) },
  { name: 'many rules that cost too much together', definition: defineField({ type: 'object', properties: Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`f${index}`, listOf({ type: 'string', maxLength: 5 }, { maxItems: 1100 + index, ...rules(rule('self.all(x, self.all(y, x != y))')) })])) }) },
  { name: 'a large enumeration', definition: defineField({ type: 'object', properties: { e: { type: 'string', enum: ['a', 'bcd'] }, l: listOf({ type: 'string', enum: ['a', 'bcd'] }, { maxItems: 50 }) }, ...rules(rule('self.l.all(x, x == self.e)')) }) },
  // Changes
  { name: 'a rule is added', definition: fieldRule('self.b > 1'), change: changeRules(rule('self.b > 1'), rule('self.b > 2')) },
  { name: 'a wrong rule is added', definition: fieldRule('self.b > 1'), change: changeRules(rule('self.b > 1'), rule('self.z > 2')) },
  { name: 'an expensive rule is added', definition: fieldRule('self.b > 1'), change: changeRules(rule('self.m.all(k, self.m.all(l, self.m[k] == self.m[l]))')) },
  { name: 'the same rules in another version', definition: fieldRule('self.b > 1'), change: (spec) => void (spec['versions'] = [...(spec['versions'] as JsonObject[]), { ...(spec['versions'] as JsonObject[])[0], name: 'v2', storage: false }]) },
  { name: 'rules of two versions', definition: define({ versions: [version({ schema: { openAPIV3Schema: { type: 'object', ...rules(rule('self.a')) } } }), version({ name: 'v2', storage: false, schema: { openAPIV3Schema: { type: 'object', ...rules(rule('self.b')) } } })] }) },
];
