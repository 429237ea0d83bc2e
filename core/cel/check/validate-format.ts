import type { Call, Expression } from '../syntax/expression.ts';
import { unwrap } from '../types/compare-cel-types.ts';
import { dynType, type CelType } from '../types/cel-type.ts';
import { nameErasedType } from '../types/format-cel-type.ts';
import type { CheckedExpression } from './checked-expression.ts';
import type { FaultList } from './fault-list.ts';

type Kind = CelType['kind'];

interface Clause {
  readonly kinds: readonly Kind[];
  /** What the clause is for, as the fault says it. */
  readonly purpose: string;
}

const integers: readonly Kind[] = ['int', 'uint'];
const texts =
  'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';
const hex: Clause = {
  kinds: [...integers, 'string', 'bytes'],
  purpose: 'only integers, byte buffers, and strings can be formatted as hex',
};

const clauses: Readonly<Record<string, Clause>> = {
  s: {
    kinds: ['list', 'map', ...integers, 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
    purpose: texts,
  },
  d: { kinds: integers, purpose: 'decimal clause can only be used on integers' },
  // A string may be NaN or an infinity.
  f: { kinds: ['double', 'string'], purpose: 'fixed-point clause can only be used on doubles' },
  e: { kinds: ['double', 'string'], purpose: 'scientific clause can only be used on doubles' },
  b: { kinds: [...integers, 'bool'], purpose: 'only integers and bools can be formatted as binary' },
  x: hex,
  X: hex,
  o: { kinds: integers, purpose: 'octal clause can only be used on integers' },
};

/** Adds the faults of a constant format that is applied to a list literal: what it cannot show, and too many or too few values. */
export function validateFormat(checked: CheckedExpression, call: Call, faults: FaultList): void {
  if (call.name !== 'format' || call.target?.kind !== 'literal' || typeof call.target.value !== 'string') return;
  const [values] = call.arguments;
  if (call.arguments.length !== 1 || values?.kind !== 'list' || !isStringFormat(checked, call)) return;
  const read = readClauses(call.target.value);
  for (const [index, clause] of read.clauses.entries()) {
    const value = values.items[index];
    if (clause === undefined || value === undefined) {
      faults.add(call.at, clause === undefined ? 'unexpected end of string' : `index ${index} out of range`);
      return;
    }
    if (typeof clause === 'string') {
      faults.add(call.at, `could not parse formatting clause: ${clause}`);
      return;
    }
    const wrong = findWrongValue(checked, value, clause);
    if (wrong === undefined) continue;
    faults.add(
      wrong.at,
      `error during formatting: ${clause.purpose}, was given ${nameErasedType(typeOf(checked, wrong))}`,
    );
    return;
  }
  const expected = read.clauses.length;
  if (values.items.length <= expected) return;
  const counts = `expected ${expected}, got ${values.items.length}`;
  faults.add(call.at, `too many arguments supplied to string.format (${counts})`);
}

function isStringFormat(checked: CheckedExpression, call: Call): boolean {
  const reference = checked.references.get(call.id);
  return reference?.kind === 'call' && reference.overloads.some((overload) => overload.id === 'string_format');
}

function typeOf(checked: CheckedExpression, node: Expression): CelType {
  return checked.types.get(node.id) ?? dynType;
}

/** The value, or the part of a literal within it, that a clause cannot show. */
function findWrongValue(checked: CheckedExpression, value: Expression, clause: Clause): Expression | undefined {
  const { kind } = unwrap(typeOf(checked, value));
  if (kind !== 'dyn' && !clause.kinds.includes(kind)) return value;
  if (clause.purpose !== texts) return undefined;
  let parts: readonly Expression[] = [];
  if (value.kind === 'list') parts = value.items;
  else if (value.kind === 'map') parts = value.entries.flatMap((entry) => [entry.key, entry.value]);
  for (const part of parts) {
    const wrong = findWrongValue(checked, part, clause);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** The clauses of a format in order; a text is why there is none, and `undefined` that the format ends within one. */
function readClauses(format: string): { clauses: readonly (Clause | string | undefined)[] } {
  const clauses: (Clause | string | undefined)[] = [];
  for (const [matched, precision, letter] of format.matchAll(/%(?:%|(\.[0-9]*)?([^]?))/g)) {
    if (matched === '%%') continue;
    clauses.push(readClause(precision, letter!));
  }
  return { clauses };
}

function readClause(precision: string | undefined, letter: string): Clause | string | undefined {
  if (precision !== undefined) {
    const problem =
      letter === '' ? 'could not find end of precision specifier' : findPrecisionProblem(precision.slice(1));
    if (problem !== undefined) return `error while parsing precision: ${problem}`;
  }
  if (letter === '') return undefined;
  return (
    clauses[letter] ?? `unrecognized formatting clause "${letter.charCodeAt(0) < 0x80 ? letter : firstByte(letter)}"`
  );
}

function findPrecisionProblem(digits: string): string | undefined {
  if (digits !== '' && BigInt(digits) < 2n ** 63n) return undefined;
  const problem = digits === '' ? 'invalid syntax' : 'value out of range';
  return `error while converting precision to integer: strconv.Atoi: parsing "${digits}": ${problem}`;
}

/** cel-go reads a format byte by byte, and shows the first byte of a longer character as one of its own. */
function firstByte(letter: string): string {
  return String.fromCharCode(new TextEncoder().encode(letter)[0]!);
}
