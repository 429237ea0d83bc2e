import { literalsByType, rareLiterals } from './literals.ts';
import type { Overload, OverloadTable } from './overload-table.ts';
import type { Random } from './random.ts';
import { parenthesize, renderCall } from './render-call.ts';
import { findPool, stringPools } from './string-pools.ts';
import { formatTypeTerm, parseTypeTerm, substitute, type Bindings, type TypeTerm } from './type-term.ts';
import type { World } from './worlds.ts';

const simpleTypes = ['int', 'string', 'bool', 'double', 'uint', 'int', 'string'].map(parseTypeTerm);
const someTypes = [
  ...simpleTypes,
  ...[
    'bytes',
    'google.protobuf.Duration',
    'google.protobuf.Timestamp',
    'list(int)',
    'list(string)',
    'map(string, int)',
    'null_type',
  ].map(parseTypeTerm),
];
const keyTypes = ['string', 'int', 'string', 'uint', 'bool'].map(parseTypeTerm);
const bool = parseTypeTerm('bool');

/** How often an expression is made wrong on purpose. */
export interface GeneratorRates {
  /** An operand of another type than wanted. */
  readonly wrongType: number;
  /** An operand behind `dyn()`, so that types are told only when it is evaluated. */
  readonly dynamic: number;
  /** A field of an object for an operand. */
  readonly path: number;
}

/** Makes expressions of a wanted type in a world. */
export class ExpressionGenerator {
  readonly #random: Random;
  readonly #table: OverloadTable;
  readonly #world: World;
  readonly #rates: GeneratorRates;
  readonly #space: string;
  readonly #parenthesize: (text: string) => string;
  #locals: { text: string; type: string }[] = [];
  #budget = 24;

  constructor(random: Random, table: OverloadTable, world: World, rates: GeneratorRates) {
    this.#random = random;
    this.#table = table;
    this.#world = world;
    this.#rates = rates;
    // Without parentheses, precedence decides what is said: often something else, and wrong.
    this.#parenthesize = random.chance(0.08) ? (text) => text : parenthesize;
    this.#space = random.chance(0.85) ? ' ' : random.pick(['', '\n', '  ', ' // note\n']);
  }

  /** A call of this overload, its arguments at most so deep. */
  call(overload: Overload, depth: number, known: Bindings = new Map()): string {
    if (overload.functionName === 'format') return this.#format(depth);
    if (overload.functionName === '@sortByAssociatedKeys') return this.#sortBy(overload, depth);
    const bindings = new Map(known);
    const fill = (): TypeTerm =>
      this.#random.pick(overload.functionName.includes('map') || overload.id.includes('_map') ? keyTypes : someTypes);
    const values = overload.parameters.map((parameter, i) => {
      // A list of anything is best had as a list of something.
      const open = parameter.parameters[0]?.name === 'dyn' ? { ...parameter, parameters: [fill()] } : parameter;
      const wanted = substitute(open, bindings, fill);
      // Kubernetes itself makes the list before it counts what that costs: a large one ends the oracle.
      if (overload.id === 'lists_range')
        return this.#random.pick([String(this.#random.below(60)), '-1', 'li[0]', 'size(s)', 'object.spec.replicas']);
      if (wanted.name === 'string' && this.#random.chance(0.7)) return this.#string(findPool(overload.id, i));
      return this.operand(wanted, depth - 1);
    });
    return renderCall(overload, values, this.#space, this.#parenthesize);
  }

  /** An expression for a place that wants this type; sometimes of another one. */
  operand(wanted: TypeTerm, depth: number): string {
    const random = this.#random;
    if (random.chance(this.#rates.wrongType)) return this.expression(random.pick(someTypes), Math.min(depth, 1));
    const text = this.expression(wanted, depth);
    return random.chance(this.#rates.dynamic) ? `dyn(${text})` : text;
  }

  /** An expression of this type. */
  expression(wanted: TypeTerm, depth: number): string {
    const random = this.#random;
    this.#budget--;
    if (random.chance(this.#rates.path)) {
      const path = this.#name(wanted, this.#world.paths);
      if (path !== undefined) return path;
    }
    if (depth <= 0 || this.#budget <= 0 || random.chance(0.15)) return this.leaf(wanted, depth);
    if (random.chance(0.12)) {
      const [condition, yes, no] = [
        this.operand(bool, depth - 2),
        this.operand(wanted, depth - 1),
        this.operand(wanted, depth - 1),
      ];
      return `${this.#parenthesize(condition)} ? ${this.#parenthesize(yes)} : ${this.#parenthesize(no)}`;
    }
    if (random.chance(0.25)) {
      const macro = this.#macro(wanted, depth);
      if (macro !== undefined) return macro;
    }
    const candidates = this.#table.findByResult(wanted);
    if (candidates.length === 0) return this.leaf(wanted, depth);
    const { overload, bindings } = random.pick(candidates);
    return this.call(overload, depth, bindings);
  }

  /** A literal, variable or field of this type; of a type without literals, a call of what makes it. */
  leaf(wanted: TypeTerm, depth: number): string {
    const random = this.#random;
    const [first, second] = wanted.parameters;
    const local = this.#name(wanted, this.#locals);
    if (local !== undefined && random.chance(0.6)) return local;
    const name = this.#name(wanted, this.#world.names);
    if (this.#budget < -20) return name ?? 'dyn(null)';
    if (name !== undefined && random.chance(0.4)) return name;
    const rare = rareLiterals[wanted.name];
    if (rare !== undefined && random.chance(0.03)) return random.pick(rare);
    const literals = literalsByType[wanted.name];
    if (literals !== undefined) return random.pick(literals);
    switch (wanted.name) {
      case 'string':
        return this.#string(random.chance(0.6) ? 'plain' : random.pick(Object.keys(stringPools)));
      case 'list':
        return `[${this.#repeat(4, () => this.operand(first!, depth - 2)).join(', ')}]`;
      case 'map':
        return `{${this.#repeat(3, () => `${this.leaf(first!, 0)}: ${this.operand(second!, depth - 2)}`).join(', ')}}`;
      case 'optional_type':
        return random.chance(0.3) ? 'optional.none()' : `optional.of(${this.operand(first!, depth - 1)})`;
      case 'dyn':
        return `dyn(${this.leaf(random.pick(someTypes), depth - 1)})`;
      default:
        break;
    }
    const makers = this.#table
      .findByResult(wanted)
      .filter(({ overload }) =>
        overload.parameters.every((parameter) => parameter.name in literalsByType || parameter.name === 'string'),
      );
    if (makers.length === 0) return name ?? 'dyn(null)';
    const { overload, bindings } = random.pick(makers);
    return this.call(overload, 0, bindings);
  }

  #repeat<T>(limit: number, make: () => T): T[] {
    return Array.from({ length: this.#random.below(limit) }, make);
  }

  #string(pool: string): string {
    const text = this.#random.pick(stringPools[pool]!);
    return this.#random.chance(0.1) && !text.includes('"') ? `"${text}"` : `'${text}'`;
  }

  #name(wanted: TypeTerm, names: readonly { text: string; type: string }[]): string | undefined {
    const type = formatTypeTerm(wanted);
    const fitting = names.filter((one) => one.type === type || type === 'dyn');
    return fitting.length === 0 ? undefined : this.#random.pick(fitting).text;
  }

  #with<T>(locals: { text: string; type: string }[], make: () => T): T {
    const before = this.#locals;
    this.#locals = [...before, ...locals];
    const made = make();
    this.#locals = before;
    return made;
  }

  #macro(wanted: TypeTerm, depth: number): string | undefined {
    const random = this.#random;
    const item = random.pick(simpleTypes);
    const itemType = formatTypeTerm(item);
    const list = (): string => parenthesize(this.expression({ name: 'list', parameters: [item] }, depth - 1));
    const one = [{ text: 'e', type: itemType }];
    const two = [
      { text: 'k', type: 'int' },
      { text: 'v', type: itemType },
    ];
    switch (wanted.name) {
      case 'bool': {
        const name = random.pick(['all', 'exists', 'exists_one']);
        const isTwo = random.chance(0.3);
        const body = this.#with(isTwo ? two : one, () => this.operand(bool, depth - 1));
        return `${list()}.${name}(${isTwo ? 'k, v' : 'e'}, ${body})`;
      }
      case 'list': {
        const result = wanted.parameters[0]!;
        if (random.chance(0.3)) {
          const filter = random.chance(0.4) ? `${this.#with(two, () => this.operand(bool, depth - 2))}, ` : '';
          return `${list()}.transformList(k, v, ${filter}${this.#with(two, () => this.operand(result, depth - 1))})`;
        }
        if (formatTypeTerm(result) === itemType && random.chance(0.5)) {
          return `${list()}.filter(e, ${this.#with(one, () => this.operand(bool, depth - 1))})`;
        }
        const filter = random.chance(0.3) ? `${this.#with(one, () => this.operand(bool, depth - 2))}, ` : '';
        return `${list()}.map(e, ${filter}${this.#with(one, () => this.operand(result, depth - 1))})`;
      }
      case 'map': {
        const [key, value] = wanted.parameters;
        const entries = parenthesize(this.expression(wanted, depth - 2));
        const locals = [
          { text: 'k', type: formatTypeTerm(key!) },
          { text: 'v', type: formatTypeTerm(value!) },
        ];
        if (random.chance(0.5))
          return `${entries}.transformMap(k, v, ${this.#with(locals, () => this.operand(value!, depth - 1))})`;
        return `${list()}.transformMapEntry(k, v, {${this.#with(two, () => this.leaf(key!, 0))}: ${this.#with(two, () => this.operand(value!, depth - 1))}})`;
      }
      case 'optional_type': {
        const source = parenthesize(this.expression({ name: 'optional_type', parameters: [item] }, depth - 1));
        const inner = wanted.parameters[0]!;
        if (random.chance(0.5)) return `${source}.optMap(e, ${this.#with(one, () => this.operand(inner, depth - 1))})`;
        return `${source}.optFlatMap(e, ${this.#with(one, () => this.operand(wanted, depth - 1))})`;
      }
      default:
        return undefined;
    }
  }

  /** The macro that calls it: a list, and a key of the type of the overload for each item. */
  #sortBy({ parameters }: Overload, depth: number): string {
    const item = this.#random.pick(simpleTypes);
    const key = parameters[1]!.parameters[0]!;
    const list = parenthesize(this.operand({ name: 'list', parameters: [item] }, depth - 1));
    return `${list}.sortBy(e, ${this.#with([{ text: 'e', type: formatTypeTerm(item) }], () => this.operand(key, depth - 1))})`;
  }

  #format(depth: number): string {
    const random = this.#random;
    const clauses: Readonly<Record<string, readonly string[]>> = {
      s: [
        'int',
        'string',
        'double',
        'bool',
        'list(int)',
        'map(string, int)',
        'google.protobuf.Timestamp',
        'google.protobuf.Duration',
        'bytes',
        'null_type',
        'type',
        'uint',
      ],
      d: ['int', 'uint'],
      f: ['double', 'int'],
      '.2f': ['double', 'uint'],
      e: ['double'],
      '.3e': ['double', 'int'],
      b: ['int', 'bool', 'uint'],
      x: ['int', 'string', 'bytes', 'uint'],
      X: ['int', 'string'],
      o: ['int', 'uint'],
      '%': [],
      z: ['int'],
    };
    const names = this.#repeat(4, () =>
      random.pick(Object.keys(clauses).filter((name) => name !== 'z' || random.chance(0.1))),
    );
    const values = names.flatMap((name) => {
      const types = clauses[name]!;
      return types.length === 0
        ? []
        : [`dyn(${this.operand(parseTypeTerm(random.pick(types)), Math.min(depth - 1, 1))})`];
    });
    if (random.chance(0.05)) values.pop();
    return `'${names.map((name) => `${random.pick(['', 'x=', ', '])}%${name}`).join('')}'.format([${values.join(', ')}])`;
  }
}
