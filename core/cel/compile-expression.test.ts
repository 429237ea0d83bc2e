import { expect, it } from 'vitest';
import { compileExpression } from './compile-expression.ts';
import { buildKubernetesEnvironment } from './kubernetes-environment.ts';
import { CostMeter } from './plan/cost-meter.ts';
import { dynType, makeObjectType } from './types/cel-type.ts';

const environment = buildKubernetesEnvironment({
  mode: 'new',
  variables: { x: dynType, request: makeObjectType('example.Request') },
  objects: [{ name: 'example.Request', fields: new Map() }],
});

it.for<[string, 'compile' | 'program', string]>([
  ['1 +', 'compile', "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting"],
  ["1 + 'a'", 'compile', "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'"],
  ["duration('x')", 'compile', 'ERROR: <input>:1:10: invalid duration argument'],
  ['type(request) == example.Request', 'program', 'reference to undefined type: example.Request'],
])('refuses %s when it comes to the step %s', ([source, stage, text]) => {
  const refused = compileExpression(source, environment);
  expect(refused).toMatchObject({ stage });
  expect('text' in refused && refused.text.startsWith(text)).toBe(true);
});

it.for([
  ['google.protobuf.Empty == google.protobuf.Empty', true],
  ['type(1) == int', true],
  ["x == 'a'", true],
])('evaluates %s', ([source, expected]) => {
  const { program } = compileExpression(String(source), environment);
  expect(program?.evaluate({ x: 'a' }, new CostMeter(1_000))).toBe(expected);
});
