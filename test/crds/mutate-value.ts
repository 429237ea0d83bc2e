import type { JsonObject, JsonValue } from '../../core/meta/json.ts';
import { isJsonObject } from '../../core/meta/json.ts';
import type { StructuralSchema } from '../../core/schema/structural-schema.ts';

/** A number in [0, 1), another one each time. */
type Random = () => number;

const words = [
  ...['', 'a', 'A', '-a', ' ', 'a b', 'a\nb', 'é', 'x.y', '*', '*/*', 'a/b', '..', '.', '/', '//', '/a/../b', 'a'.repeat(64)],
  ...['pods', 'pods/log', 'pods/*', '*/log', 'exempt', 'catch-all', 'Pod', 'Container', 'Queue', 'Reject', 'Limited'],
  ...['Exempt', 'In', 'Exists', 'BestEffort', 'PriorityClass', 'while', 'http', '50%', '10.0.0.1', '010.0.0.1', '::1'],
  ...['10.0.0.0/8', '::/0', 'example.com/gpu', 'requests.example.com/gpu', 'kubernetes.io/x', 'cpu', 'storage'],
  ...['hugepages-2Mi', 'services', 'count/x.y'],
];
const quantities = [
  ...['0', '-0', '-1', '100m', '1000m', '1Gi', '1e3', '1E', '0.1n', '0.5', '9223372036854775807', '1.5k', '12e6', '+1'],
  ...['.5', '5.', '1e', 'x', '', 3, -3],
];
const integers = [
  ...[0, -1, 1, 2, 5, 8, 15, 16, 64, 65, 100, 101, 1000, 10_000, 10_001, 65_535, 65_536],
  ...[2_147_483_647, 2_147_483_648, -2_147_483_648],
];
const amounts = [0, 1, -1, 80, 65_535, 65_536, '80', 'http', '50%', '100%', '101%', '007%', '%', '', 'a-', 'A', 4_294_967_296];
const times = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', 'x', ''];

/** Changes values of one schema a little, with things that tend to be judged in different ways. */
export class Mutator {
  readonly #random: Random;
  /** Paths, without indices, of what is left as it is. */
  readonly #fixed: ReadonlySet<string>;

  constructor(random: Random, fixed: Iterable<string>) {
    this.#random = random;
    this.#fixed = new Set(fixed);
  }

  /** The value with one part of it changed, added or taken away; the value itself stays as it is. */
  mutate(value: JsonValue | undefined, schema: StructuralSchema, path: string): JsonValue {
    const { items, values, properties } = schema;
    if (value === undefined || this.#happens(0.1)) return this.#make(schema, path);
    if (Array.isArray(value) && items !== undefined) return this.#mutateList(value, schema, path);
    if (!isJsonObject(value)) return this.#makeScalar(schema);
    if (values !== undefined) return this.#mutateMap(value, values, path);
    if (properties === undefined) return value;
    const names = Object.keys(properties).filter((name) => !this.#fixed.has(`${path}.${name}`));
    if (names.length === 0) return value;
    const name = this.#pick(names);
    const { [name]: old, ...rest } = value;
    if (this.#happens(0.15)) return rest;
    return { ...rest, [name]: this.mutate(old, properties[name] as StructuralSchema, `${path}.${name}`) };
  }

  #mutateList(list: JsonValue[], { items, listType }: StructuralSchema, path: string): JsonValue {
    const schema = items as StructuralSchema;
    const at = Math.floor(this.#random() * list.length);
    const old = list[at];
    const changed = [...list];
    if (old === undefined || this.#happens(0.15)) changed.push(this.#make(schema, path));
    else if (this.#happens(0.1)) changed.push(structuredClone(old));
    else if (this.#happens(0.12)) changed.splice(at, 1);
    else changed[at] = this.mutate(old, schema, path);
    // What a set with a repeated value means is an exception of its own.
    return listType === 'set' ? [...new Set(changed)] : changed;
  }

  #mutateMap(map: JsonObject, schema: StructuralSchema, path: string): JsonValue {
    const names = Object.keys(map);
    const name = names.length === 0 || this.#happens(0.4) ? this.#pickKey(schema) : this.#pick(names);
    const { [name]: old, ...rest } = map;
    return this.#happens(0.1) ? rest : { ...rest, [name]: this.mutate(old, schema, path) };
  }

  #make(schema: StructuralSchema, path: string): JsonValue {
    const { items, values, properties, listType } = schema;
    const count = Math.floor(this.#random() * 3);
    if (items !== undefined) {
      const list = Array.from({ length: count }, () => this.#make(items, path));
      return listType === 'set' ? [...new Set(list)] : list;
    }
    if (values !== undefined) {
      const entries = Array.from({ length: count }, () => [this.#pickKey(values), this.#make(values, path)] as const);
      return Object.fromEntries(entries);
    }
    if (properties === undefined) return this.#makeScalar(schema);
    const entries = Object.entries(properties)
      .filter(([name]) => !this.#fixed.has(`${path}.${name}`) && this.#happens(0.5))
      .map(([name, property]) => [name, this.#make(property, `${path}.${name}`)] as const);
    return Object.fromEntries(entries);
  }

  #makeScalar(schema: StructuralSchema): JsonValue {
    if (schema.format === 'quantity') return this.#pick(quantities);
    if (schema.format === 'int-or-string') return this.#pick(amounts);
    if (schema.format === 'date-time') return this.#pick(times);
    if (schema.type === 'boolean') return this.#happens(0.5);
    if (schema.type === 'integer') return this.#pick(integers);
    return schema.enum !== undefined && this.#happens(0.5) ? this.#pick(schema.enum) : this.#pick(words);
  }

  /** Labels of peers keep well-formed keys: that others pass is an exception of its own. */
  #pickKey(values: StructuralSchema): string {
    return this.#pick(values.format === 'quantity' ? words : ['a', 'x.y', 'example.com/gpu', 'A_b']);
  }

  #happens(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<T>(list: readonly T[]): T {
    const found = list[Math.floor(this.#random() * list.length)];
    if (found === undefined) throw new Error('there is nothing to pick from');
    return found;
  }
}
