import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import faultCases from '../testdata/syntax-faults.json' with { type: 'json' };
import nodeCases from '../testdata/syntax-nodes.json' with { type: 'json' };
import { CelDouble, CelUint } from '../values/cel-value.ts';
import { describeFaults } from './describe-faults.ts';
import type { Expression } from './expression.ts';
import { formatFaults } from './format-fault.ts';
import { makeMacroTable } from './macro.ts';
import { parseExpression } from './parse-expression.ts';
import { SourceText } from './source-text.ts';
import { listMacros, optionalMacros, standardMacros, twoVariableMacros } from './standard-macros.ts';

const macros = makeMacroTable(standardMacros, optionalMacros, twoVariableMacros);

function printFaults(source: string): string {
  const { faults, count } = parseExpression(source);
  return faults === undefined ? '' : formatFaults(source, faults, count);
}

interface NumberedNode {
  id: number;
  line: number;
  column: number;
}

/** Every node and entry of an expression, ordered by number. */
function listNodes(source: string, root: Expression): NumberedNode[] {
  const text = new SourceText(source);
  const nodes = new Map<number, NumberedNode>();
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    if ('id' in part && 'at' in part) {
      const { line, column } = text.locate(part.at as number);
      nodes.set(part.id as number, { id: part.id as number, line, column });
    }
    for (const each of Object.values(part)) visit(each);
  };
  visit(root);
  return Array.from(nodes.values()).toSorted((left, right) => left.id - right.id);
}

describe('faults of syntax, as cel-go prints them', () => {
  it.for(faultCases)('$expression', ({ expression, answer }) => {
    expect(printFaults(expression)).toBe('text' in answer ? answer.text : '');
  });
});

describe('numbers and places of nodes, as cel-go has them', () => {
  it.for(nodeCases)('$expression', ({ expression, answer }) => {
    const nodes = (answer.nodes ?? []).map(({ id, line, column }) => ({ id, line, column }));
    expect(listNodes(expression, parseExpression(expression).expression!)).toEqual(
      nodes.toSorted((left, right) => left.id - right.id),
    );
  });
});

describe('literals', () => {
  it.for([
    ['0', 0],
    ['-0', 0],
    ['007', 7],
    ['-0x1F', -31],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', 9_007_199_254_740_992n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['18446744073709551615u', new CelUint(2n ** 64n - 1n)],
    ['0xFFu', new CelUint(255n)],
    ['1.5e3', new CelDouble(1500)],
    ['-.5', new CelDouble(-0.5)],
    ['"a\\tb\\"\\x41\\u00e9\\U0001F601\\101"', 'a\tb"Aé😁A'],
    ['r"\\d"', '\\d'],
    ['"""a"b\r\nc"""', 'a"b\nc'],
    ['b"\\xff\\101é"', Uint8Array.of(255, 65, 195, 169)],
    ['true', true],
    ['null', null],
  ] as const)('%s', ([source, value]) => {
    expect(parseExpression(source).expression).toMatchObject({ kind: 'literal', value });
  });
});

describe('limits', () => {
  const nest = (open: string, times: number, close = ''): string => `${open.repeat(times)}1${close.repeat(times)}`;
  const tooDeep = 'ERROR: <input>:-1:0: expression recursion limit exceeded: 250';
  const tooHigh = 'ERROR: <input>:-1:0: max recursion depth exceeded';
  it.for([
    ['249 parentheses', nest('(', 249, ')'), ''],
    ['250 parentheses', nest('(', 250, ')'), tooDeep],
    ['100,000 parentheses', nest('(', 99_999), tooDeep],
    ['83 nested sums of products', nest('1+1*(', 83, ')'), ''],
    ['84 nested sums of products', nest('1+1*(', 84, ')'), tooDeep],
    ['250 sums in a row', `1${'+1'.repeat(250)}`, ''],
    ['251 sums in a row', `1${'+1'.repeat(251)}`, tooHigh],
    ['251 indices in a row', `a${'[0]'.repeat(251)}`, tooHigh],
    ['20,000 conjunctions', `a${'&&a'.repeat(20_000)}`, ''],
    ['99,999 signs', nest('-', 99_999), ''],
    ['a name of 100,000 characters', 'a'.repeat(100_000), ''],
    [
      'a name of 100,001 characters',
      'a'.repeat(100_001),
      'ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000',
    ],
    ['100,000 characters beyond the basic plane', `"${'😁'.repeat(99_998)}"`, ''],
    [
      'a long recovery',
      `1 ${'+ * '.repeat(10)}(${'1 '.repeat(300)})`,
      'ERROR: <input>:-1:0: error recovery token lookahead limit exceeded: 256',
    ],
    ['macros that double their target 7 times', `a${'.optMap(x, x)'.repeat(7)}`, ''],
    ['7,600 macros that double nothing', `[${'a.map(a,a,a),'.repeat(7600)}]`, ''],
    [
      'macros that double their target 9 times',
      `a${'.optMap(x, x)'.repeat(9)}`,
      'ERROR: <input>:-1:0: expression is too large when its macros are expanded',
    ],
    [
      'macros that double their target 30 times',
      `a${'.optMap(x, x)'.repeat(30)}`,
      'ERROR: <input>:-1:0: expression is too large when its macros are expanded',
    ],
  ] as const)('%s', ([, source, text]) => {
    expect(printFaults(source).split('\n')[0]).toBe(text);
  });

  it('keeps 100 faults and tells how many there were', () => {
    const source = '# '.repeat(150);
    expect(printFaults(source)).toContain("token recognition error at: '#'");
    expect(parseExpression(source)).toMatchObject({ count: 101 });
    expect(printFaults(source).split('\n').at(-1)).toBe('1 more errors were truncated');
  });

  it('recovers 30 times', () => {
    expect(printFaults('('.repeat(200))).toContain('error recovery attempt limit exceeded: 30');
  });
});

it('knows macros of the table it is given only', () => {
  const source = 'a.sortBy(x, x)';
  expect(parseExpression(source).expression).toMatchObject({ kind: 'call', name: 'sortBy' });
  const table = makeMacroTable(standardMacros, listMacros);
  expect(parseExpression(source, table).expression).toMatchObject({
    kind: 'comprehension',
    accumulator: '@__sortBy_input__',
    result: { kind: 'call', name: '@sortByAssociatedKeys' },
  });
  expect(parseExpression('{}.sortBy(x, x)', table).faults).toMatchObject([
    { message: 'sortBy can only be applied to a list, identifier, comprehension, call or select expression' },
  ]);
});

const pieces = fc.constantFrom(
  ...['a', 'b.c', 'has(a.b)', '1', '-1', '2u', '.5', '"s"', "b'x'", 'true', 'null', 'in', 'as', '==', '<', '&&', '||'],
  ...[
    '[',
    ']',
    '{',
    '}',
    '(',
    ')',
    '.',
    ',',
    '-',
    '!',
    '?',
    ':',
    '+',
    '*',
    ' ',
    '\n',
    '// c\n',
    '`e-f`',
    '"',
    '=',
    '\\',
  ],
  ...['.map(x, x)', '.all(', 'é', '😁', '"""', '\ud800'],
);
const sources = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(pieces, { maxLength: 30 }).map((each) => each.join('')),
  fc.array(pieces, { maxLength: 30 }).map((each) => each.join(' ')),
);

it('yields an expression or faults that can be shown, whatever the source', () => {
  fc.assert(
    fc.property(sources, (source) => {
      const { expression, faults, count } = parseExpression(source);
      if (faults === undefined) expect(expression).toBeDefined();
      else expect(formatFaults(source, faults, count)).toMatch(/^ERROR: <input>:-?\d+:\d+: /);
    }),
  );
});

it('parses sound sources alike in haste and with care', () => {
  fc.assert(
    fc.property(sources, (source) => {
      const { expression } = parseExpression(source, macros);
      const { faults, expression: careful } = describeFaults(new SourceText(source), macros, 250);
      expect(faults.length === 0).toBe(expression !== undefined);
      if (expression !== undefined) expect(careful).toEqual(expression);
    }),
  );
});
