import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCelType } from '../../test/oracle/parse-cel-type.ts';
import { checkSource } from './check-source.ts';
import { buildEnvironment, extendEnvironment } from './check/cel-environment.ts';
import { buildKubernetesEnvironment } from './kubernetes-environment.ts';
import type { CelFunction } from './libraries/cel-library.ts';
import cases from './testdata/check.json' with { type: 'json' };
import { boolType, dynType, intType, makeObjectType, stringType } from './types/cel-type.ts';
import { formatCelType } from './types/format-cel-type.ts';

interface Case {
  readonly expression: string;
  readonly mode?: string;
  readonly variables?: Readonly<Record<string, { readonly type: string }>>;
  readonly answer: { readonly type?: string; readonly text?: string; readonly overloads?: readonly string[] };
}

function check({ expression, mode, variables = {} }: Case): object {
  const types = Object.entries(variables).map(([name, { type }]) => [name, parseCelType(type)] as const);
  const environment = buildKubernetesEnvironment({
    mode: mode === 'stored' ? 'stored' : 'new',
    variables: Object.fromEntries(types),
  });
  const { checked, ...refusal } = checkSource(expression, environment);
  if (checked === undefined) return { text: (refusal as { text: string }).text };
  const calls = [...checked.references.values()].flatMap((found) => (found.kind === 'call' ? found.overloads : []));
  const overloads = [...new Set(calls.map((overload) => overload.id))].toSorted();
  return { type: formatCelType(checked.type), ...(overloads.length === 0 ? {} : { overloads }) };
}

it.for(cases as readonly Case[])('checks $expression as Kubernetes does', (one) => {
  const { type, text, overloads } = one.answer;
  const expected =
    text === undefined ? { type: formatCelType(parseCelType(type!)), ...(overloads && { overloads }) } : { text };
  expect(check(one)).toEqual(expected);
});

describe('an environment', () => {
  const pod = makeObjectType('Pod');
  const environment = buildKubernetesEnvironment({
    mode: 'new',
    variables: { object: pod },
    objects: [
      {
        name: 'Pod',
        fields: new Map([
          ['foo__dash__bar', { type: intType, property: 'foo-bar' }],
          ['__namespace__', { type: stringType, property: 'namespace' }],
          ['a__underscores__b', { type: boolType, property: 'a__b' }],
        ]),
      },
    ],
  });

  it.for([
    ['object.foo__dash__bar', 'int'],
    ['object.namespace', 'string'],
    ['object.__namespace__', 'string'],
    ['object.a__underscores__b', 'bool'],
    ['object.a__b', 'bool'],
    ['has(object.namespace)', 'bool'],
    ['type(object) == Pod', 'bool'],
  ])('finds the field of %s by both names', ([expression, type]) => {
    const { checked } = checkSource(expression!, environment);
    expect(checked && formatCelType(checked.type)).toBe(type);
  });

  it('stays as it is when it is extended', () => {
    const extended = extendEnvironment(environment, { variables: { more: intType } });
    expect(checkSource('more', extended).checked?.type).toEqual(intType);
    expect(checkSource('more', environment).checked).toBeUndefined();
  });

  it('adds the overloads of libraries in order, each once, and takes the first cost that is known and the larger work', () => {
    const overload = (id: string) => ({ id, isMember: false, parameters: [intType], result: intType });
    const first: CelFunction = {
      name: 'f',
      overloads: [overload('a')],
      cost: ([value]) => (value === 1 ? 5 : undefined),
      work: () => 1,
    };
    const second: CelFunction = { name: 'f', overloads: [overload('a'), overload('b')], cost: () => 7, work: () => 2 };
    const { functions } = buildEnvironment({
      libraries: [
        { name: 'x', functions: [first] },
        { name: 'y', functions: [second] },
      ],
    });
    const merged = functions.get('f');
    expect(merged?.overloads.map(({ id }) => id)).toEqual(['a', 'b']);
    expect([merged?.cost?.([1], 0, 'a'), merged?.cost?.([2], 0, 'a'), merged?.work?.([1], 10)]).toEqual([5, 7, 2]);
  });
});

it('keeps the first hundred faults and says how many more there were', () => {
  const source = Array.from({ length: 130 }, (_, i) => `x${i}`).join(' == ');
  const result = checkSource(`[${source.replaceAll(' == ', ', ')}]`, buildKubernetesEnvironment({ mode: 'new' }));
  expect(result.faults).toHaveLength(100);
  expect(result.checked === undefined && result.text.endsWith('\n30 more errors were truncated')).toBe(true);
});

describe('a source made to be hard', () => {
  const environment = buildKubernetesEnvironment({ mode: 'stored', variables: { x: dynType, i: intType } });
  const tooLarge = 'the type of the expression is too large';
  const nameVariable = (k: number): string => `v${k}`;
  const doubling = Array.from(
    { length: 59 },
    (_, k) => `${nameVariable(k)} == {${nameVariable(k + 1)}:${nameVariable(k + 1)}}`,
  );
  const bound = Array.from({ length: 60 }, (_, k) => 59 - k).reduce(
    (inner, k) => `[].map(${nameVariable(k)}, ${inner})`,
    `[${doubling.join(', ')}]`,
  );

  it.for([
    ['types that double with every step', `[1]${'.map(y, {y: y})'.repeat(60)}`, tooLarge],
    ['the same in optionals', `optional.of([])${'.optMap(y, {y: {y: y}})'.repeat(6)}`, tooLarge],
    ['the same through what parameters stand for', bound, 'the types of the expression are too large'],
  ])('is refused: %s', ([, source, message]) => {
    const result = checkSource(source!, environment);
    expect(result.faults?.map((fault) => fault.message)).toContain(message);
  });

  it.for([
    ['many items', `[${Array.from({ length: 30_000 }, () => '1').join(',')}]`],
    ['many empty lists', `[${Array.from({ length: 30_000 }, () => '[]').join(',')}]`],
    ['many entries', `{${Array.from({ length: 10_000 }, (_, k) => `${k}: 1`).join(',')}}`],
    ['many selections', `x${'.b'.repeat(200)}`],
    ['deep lists', `${'['.repeat(200)}${']'.repeat(200)}`],
  ])('is checked: %s', ([, source]) => {
    expect(checkSource(source!, environment).faults).toBeUndefined();
  });

  const words = fc.constantFrom(
    ...[
      'x',
      'i',
      '1',
      "'a'",
      '2u',
      '1.5',
      'true',
      'null',
      '[',
      ']',
      '{',
      '}',
      '(',
      ')',
      ',',
      ':',
      '.',
      '.?',
      '[?',
      '?',
      '+',
      '-',
      '*',
      '/',
    ],
    ...[
      '%',
      '==',
      '!=',
      '<',
      '&&',
      '||',
      '!',
      ' in ',
      'has(',
      '.map(y,',
      '.all(y,',
      '.optMap(y,',
      'optional.of(',
      'size(',
      "'%s'.format(",
    ],
    ...[
      'duration(',
      'timestamp(',
      '.matches(',
      'google.protobuf.Value{',
      'type(',
      'y',
      '\n',
      'é',
      '\u{1F600}',
      '`',
      '"',
      '\\',
    ],
  );
  const expressions = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      fc.constantFrom('x', 'i', '1', "'a'", '[]', '{}', 'y', 'null', 'int', 'optional.none()', "duration('x')", 'zz'),
      fc
        .tuple(tie('node'), fc.constantFrom('+', '==', '<', '&&', ' in '), tie('node'))
        .map(([a, op, b]) => `(${a}${op}${b})`),
      fc.tuple(tie('node'), tie('node'), tie('node')).map(([a, b, c]) => `(${a}?${b}:${c})`),
      fc.array(tie('node'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      fc.tuple(tie('node'), tie('node')).map(([key, value]) => `{${key}:${value}}`),
      fc
        .tuple(tie('node'), fc.constantFrom('map', 'filter', 'all', 'exists', 'optMap'), tie('node'))
        .map(([a, name, b]) => `${a}.${name}(y,${b})`),
      fc
        .tuple(
          fc.constantFrom('size', 'type', 'dyn', 'optional.of', 'string', 'sets.contains'),
          tie('node'),
          tie('node'),
        )
        .map(([name, a, b]) => `${name}(${a},${b})`),
      fc
        .tuple(tie('node'), fc.constantFrom('.a', '.?a', '[0]', '[?0]', '.size()', '.orValue(1)'))
        .map(([a, rest]) => `${a}${rest}`),
    ),
  })).node;

  it('never throws', () => {
    const anything = fc.oneof(
      fc.array(words, { maxLength: 40 }).map((parts) => parts.join('')),
      expressions,
      fc.string(),
    );
    fc.assert(
      fc.property(anything, (source) => {
        const { checked, faults } = checkSource(source, environment);
        expect((checked === undefined) !== (faults === undefined)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
