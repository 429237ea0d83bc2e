import type { OracleRequest } from '../../oracle/oracle-protocol.ts';
import { ExpressionGenerator } from './expression-generator.ts';
import type { Overload, OverloadTable } from './overload-table.ts';
import { Random } from './random.ts';
import { parseTypeTerm } from './type-term.ts';
import type { World } from './worlds.ts';

/** One generated expression in its world. */
export interface GeneratedCase {
  readonly world: World;
  readonly expression: string;
}

/** What is generated. */
export interface GenerationPlan {
  readonly seed: number;
  readonly count: number;
  readonly worlds: readonly World[];
  /** Functions by mode. */
  readonly tables: Readonly<Record<'new' | 'stored', OverloadTable>>;
  /** Only these have their turn; absent: all. */
  readonly overloadIds?: ReadonlySet<string>;
  /** Expressions that are there already. */
  readonly known?: ReadonlySet<string>;
}

const outerTypes = [
  'bool',
  'bool',
  'string',
  'int',
  'list(string)',
  'map(string, int)',
  'optional_type(int)',
  'dyn',
].map(parseTypeTerm);

/** Unique expressions; every overload has its turn, in places of all kinds. */
export function generateCases({
  seed,
  count,
  worlds,
  tables,
  overloadIds,
  known,
}: GenerationPlan): readonly GeneratedCase[] {
  const random = new Random(seed);
  const cases = new Map<string, GeneratedCase>();
  const turns = { new: 0, stored: 0 };
  const focused = { new: focusOn(tables.new, overloadIds), stored: focusOn(tables.stored, overloadIds) };
  while (cases.size < count) {
    const world = random.pick(worlds);
    const mode = world.request.mode ?? 'new';
    const table = tables[mode];
    const isSound = random.chance(0.6);
    const generator = new ExpressionGenerator(random, table, world, {
      wrongType: isSound ? 0 : random.pick([0, 0.03, 0.1]),
      dynamic: random.pick([0, 0.05, 0.2]),
      path: random.pick([0, 0.1, 0.3, 0.5]),
    });
    const depth = 1 + random.below(4);
    const overload = focused[mode][turns[mode]++ % focused[mode].length];
    const expression =
      overload !== undefined && random.chance(0.75)
        ? useCall(overload, generator, depth)
        : generator.expression(random.pick(outerTypes), depth + 1);
    const text = random.chance(0.03) ? damage(random, expression) : expression;
    if (text.length > 0 && known?.has(text) !== true) cases.set(text, { world, expression: text });
  }
  return [...cases.values()];
}

function focusOn(table: OverloadTable, ids: ReadonlySet<string> | undefined): readonly Overload[] {
  return ids === undefined ? table.all : table.all.filter(({ id }) => ids.has(id));
}

/** A call without arguments is there once only, so something is done with what it yields. */
function useCall(overload: Overload, generator: ExpressionGenerator, depth: number): string {
  const text = generator.call(overload, depth);
  if (overload.parameters.length > 0) return text;
  const isFormat = overload.result.name === 'kubernetes.NamedFormat';
  const argument = generator.operand(parseTypeTerm(isFormat ? 'string' : 'int'), depth);
  return `${text}.${isFormat ? 'validate' : 'orValue'}(${argument})`;
}

/** The question that a case asks. */
export function toRequest({ world, expression }: GeneratedCase): OracleRequest {
  return { ...world.request, expression };
}

function damage(random: Random, expression: string): string {
  const at = random.below(expression.length + 1);
  const inserted = random.pick([
    '',
    '',
    ')',
    '(',
    '"',
    '.',
    ',',
    '$',
    '?',
    ' 1',
    ' unknownName ',
    '[',
    '}',
    '=',
    '&',
    '0x',
    '\\',
    '`',
    'in',
    '\n)',
    'é',
  ]);
  return expression.slice(0, at) + inserted + expression.slice(at + random.below(3));
}
