import type { JsonObject, JsonValue } from '../../core/meta/json.ts';
import { Random } from '../cel/generator/random.ts';

const types = ['object', 'object', 'array', 'string', 'string', 'integer', 'number', 'boolean'];
const names = ['a', 'b', 'c', 'name', 'metadata', 'kind', 'apiVersion', 'x-y', 'in', 'ümläut'];
const patterns = ['^a+$', '[a', '(?=a)', 'a{2,1}', '\\d', '(a', 'a**', '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'];
const formats = ['date', 'date-time', 'duration', 'byte', 'uuid', 'int32', 'password', 'k8s-short-name', 'nonsense'];
const values: readonly JsonValue[] = [
  ...[null, true, 0, 1, -1, 1.5, 'a', '', 'abc', '2020-01-01', [], ['a'], [1, 1], {}, { a: 1 }, { a: 'x', z: 2 }],
  { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { 'a b': 'c' } } },
];
const rules = [
  ...['true', 'self == oldSelf', 'has(self.a)', 'self.a == "a"', 'self.b > 1', 'self.size() < 3', 'self > 1', 'self'],
  ...['self.all(x, x == x)', 'self.exists(k, self[k] == self[k])', 'oldSelf.hasValue()', 'self.metadata.name == "a"'],
  ...['self.matches("[")', 'self.startsWith("a")', 'self.all(x, self.all(y, x != y))', 'self.z', 'self +', '', ' '],
];
const fieldPaths = ['.a', '.b.c', '["a"]', "['a']", "['x-y'].a", 'a', '.', ' ', ".['a']", '.a\n', ".a['b\\'c']"];
const limits = ['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'];
const junctors = ['allOf', 'anyOf', 'oneOf'];

/** Makes schemas of definitions, more of them right than wrong. */
export class DefinitionGenerator {
  readonly #random: Random;
  /** How often something is there that is most often wrong. */
  #mischief = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** A definition whose names are of this number. */
  make(index: number): JsonObject {
    const random = this.#random;
    this.#mischief = random.pick([0, 0, 0.02, 0.05, 0.15]);
    const [plural, kind] = [`gen${index}x`, `Gen${index}x`];
    const count = random.chance(0.8) ? 1 : 2;
    const schema = this.#root();
    const versions = Array.from({ length: count }, (_, i) => ({
      ...{ name: `v${i + 1}`, served: true, storage: i === 0 },
      schema: { openAPIV3Schema: i > 0 && random.chance(0.5) ? schema : i === 0 ? schema : this.#root() },
      ...(random.chance(0.2) ? { subresources: { status: {} } } : {}),
      ...(random.chance(0.15)
        ? { selectableFields: [{ jsonPath: random.pick(['.a', '.b', '.a.b', '.c', 'a']) }] }
        : {}),
    }));
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.example.com` },
      spec: { group: 'example.com', names: { plural, kind }, scope: 'Namespaced', versions },
    };
  }

  #wrong(): boolean {
    return this.#random.chance(this.#mischief);
  }

  #root(): JsonObject {
    // With a format, a default of the root may be of another type, and rules then see what they were not made for.
    const { format: _format, ...schema } = this.#schema(4);
    return { ...schema, ...(this.#wrong() ? {} : { type: 'object' }) };
  }

  #schema(depth: number): JsonObject {
    const random = this.#random;
    if (random.chance(0.06)) return this.#intOrString();
    const type = depth <= 0 ? random.pick(['string', 'integer', 'boolean']) : random.pick(types);
    const schema: JsonObject = this.#wrong() ? {} : { type };
    if (type === 'object') this.#addMembers(schema, depth);
    if (type === 'array') this.#addItems(schema, depth);
    this.#addLimits(schema, type);
    if (random.chance(0.12)) schema['default'] = random.pick(values);
    if (random.chance(0.1)) schema['enum'] = [random.pick(values), random.pick(values)];
    if (random.chance(0.1)) schema['nullable'] = true;
    if (random.chance(0.15))
      schema['x-kubernetes-validations'] = [this.#rule(), ...(random.chance(0.2) ? [this.#rule()] : [])];
    if (random.chance(0.1)) schema[random.pick(junctors)] = [this.#nested(schema, 2), this.#nested(schema, 1)];
    if (random.chance(0.04)) schema['not'] = this.#nested(schema, 2);
    if (random.chance(0.04)) schema['x-kubernetes-preserve-unknown-fields'] = !this.#wrong();
    this.#addMischief(schema);
    return schema;
  }

  #intOrString(): JsonObject {
    const either = [{ type: 'integer' }, { type: 'string' }];
    const written: JsonObject = this.#random.pick<JsonObject>([{}, { anyOf: either }, { allOf: [{ anyOf: either }] }]);
    const fallback = this.#random.chance(0.2) ? { default: this.#random.pick(values) } : {};
    return { 'x-kubernetes-int-or-string': true, ...written, ...fallback };
  }

  #addMembers(schema: JsonObject, depth: number): void {
    const random = this.#random;
    if (random.chance(0.25)) {
      schema['additionalProperties'] = random.chance(0.9) ? this.#schema(depth - 1) : random.chance(0.5);
      if (!this.#wrong()) return;
    }
    const keys = new Set(Array.from({ length: random.below(4) }, () => random.pick(names)));
    if (keys.size === 0) return;
    schema['properties'] = Object.fromEntries([...keys].map((key) => [key, this.#property(key, depth - 1)]));
    if (random.chance(0.3)) schema['required'] = [...keys].slice(0, 1 + random.below(2));
    if (random.chance(0.06)) schema['x-kubernetes-embedded-resource'] = true;
    if (random.chance(0.1))
      schema['x-kubernetes-map-type'] = this.#wrong() ? 'set' : random.pick(['atomic', 'granular']);
  }

  #property(key: string, depth: number): JsonObject {
    if (key === 'metadata' && !this.#wrong()) return { type: 'object' };
    return (key === 'kind' || key === 'apiVersion') && !this.#wrong() ? { type: 'string' } : this.#schema(depth);
  }

  #addItems(schema: JsonObject, depth: number): void {
    const random = this.#random;
    const items = this.#wrong() ? random.pick<JsonValue>([{}, [], [{ type: 'string' }]]) : this.#schema(depth - 1);
    if (!this.#wrong()) schema['items'] = items;
    if (random.chance(0.25))
      schema['x-kubernetes-list-type'] = this.#wrong() ? 'any' : random.pick(['atomic', 'set', 'map']);
    if (schema['x-kubernetes-list-type'] === 'map' || this.#wrong()) {
      schema['x-kubernetes-list-map-keys'] = random.pick([['a'], ['a', 'b'], ['name'], ['a', 'a']]);
      if (!this.#wrong()) {
        schema['items'] = {
          ...{ type: 'object', required: ['a', 'b', 'name'] },
          properties: { a: { type: 'string' }, b: { type: 'integer' }, name: this.#schema(0) },
        };
      }
    }
  }

  #addLimits(schema: JsonObject, type: string): void {
    const random = this.#random;
    for (const limit of limits)
      if (random.chance(type === 'object' ? 0.05 : 0.2)) schema[limit] = random.pick([0, 1, 3, 10, 500, -1]);
    if (type === 'string') {
      if (random.chance(0.2)) schema['format'] = random.pick(formats);
      if (random.chance(0.15)) schema['pattern'] = this.#wrong() ? random.pick(patterns) : '^a+$';
    }
    if (type === 'integer' || type === 'number') {
      if (random.chance(0.2)) schema['minimum'] = random.pick([0, 1.5, -3]);
      if (random.chance(0.2)) schema['maximum'] = random.pick([0, 1.5, 7]);
      if (random.chance(0.1)) schema['multipleOf'] = random.pick([1, 0.5, 2]);
    }
  }

  #rule(): JsonObject {
    const random = this.#random;
    return {
      rule: random.pick(rules),
      ...(random.chance(0.2) ? { message: random.pick(['m', ' ', 'a\nb', '']) } : {}),
      ...(random.chance(0.1) ? { messageExpression: random.pick(['"m"', 'self', 'string(self)', ' ']) } : {}),
      ...(random.chance(0.1) ? { reason: this.#wrong() ? 'Other' : 'FieldValueRequired' } : {}),
      ...(random.chance(0.15) ? { fieldPath: random.pick(fieldPaths) } : {}),
      ...(random.chance(0.15) ? { optionalOldSelf: random.chance(0.7) } : {}),
    };
  }

  /** What may stand under `anyOf` and its like beside what the schema itself has. */
  #nested(schema: JsonObject, depth: number): JsonObject {
    const random = this.#random;
    const properties = schema['properties'];
    const keys = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
    const nested: JsonObject = {};
    if (keys.length > 0 && random.chance(0.6)) nested['required'] = [random.pick(keys)];
    if (keys.length > 0 && depth > 0 && random.chance(0.4)) {
      nested['properties'] = { [this.#wrong() ? 'z' : random.pick(keys)]: this.#nested({}, depth - 1) };
    }
    if (random.chance(0.4)) nested[random.pick(limits)] = 1 + random.below(3);
    if (random.chance(0.1)) nested['pattern'] = this.#wrong() ? random.pick(patterns) : '^a+$';
    if (this.#wrong()) Object.assign(nested, this.#schema(0));
    return nested;
  }

  #addMischief(schema: JsonObject): void {
    if (!this.#wrong()) return;
    const mischief: readonly JsonObject[] = [
      ...[{ type: 'null' }, { type: 'int' }, { id: 'x' }, { $ref: '#/a' }, { $schema: 'x' }, { uniqueItems: true }],
      ...[{ additionalItems: true }, { patternProperties: { a: {} } }, { definitions: { a: { type: 'x' } } }],
      ...[{ dependencies: { a: ['b'] } }, { 'x-kubernetes-list-type': 'set' }, { 'x-kubernetes-map-type': 'atomic' }],
      ...[
        { 'x-kubernetes-int-or-string': true },
        { 'x-kubernetes-embedded-resource': true },
        { additionalProperties: {} },
      ],
      ...[{ title: 't', description: 'd', externalDocs: { url: 'x' }, example: 1 }, { exclusiveMinimum: true }],
    ];
    Object.assign(schema, this.#random.pick(mischief));
  }
}
