import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { answerExpression } from '../../../test/oracle/answer-expression.ts';
import type { OracleAnswer, OracleRequest } from '../../../test/oracle/oracle-protocol.ts';
import type { StructuralSchema } from '../../schema/structural-schema.ts';
import { compileExpression } from '../compile-expression.ts';
import { buildKubernetesEnvironment } from '../kubernetes-environment.ts';
import { dynType, stringType } from '../types/cel-type.ts';
import { CelError, CelOpaque, type CelResult, type CelValue } from '../values/cel-value.ts';
import { toCelValue } from '../values/json-value.ts';
import { BudgetExceeded, CostMeter, EvaluationInterrupted, type MeterBounds } from './cost-meter.ts';

type Golden = OracleRequest & { readonly answer: OracleAnswer };

const goldens = JSON.parse(
  readFileSync(new URL('../testdata/evaluation.json', import.meta.url), 'utf8'),
) as readonly Golden[];

const environment = buildKubernetesEnvironment({
  mode: 'new',
  variables: { object: dynType, other: dynType, variables: dynType },
});

interface Evaluation {
  readonly result: CelResult;
  readonly cost: number;
}

function evaluate(
  expression: string,
  variables: Readonly<Record<string, CelValue>> = {},
  meter = new CostMeter(1e6),
): Evaluation {
  const { program, text } = { text: undefined, ...compileExpression(expression, environment) };
  if (program === undefined) throw new Error(text);
  return { result: program.evaluate(variables, meter), cost: meter.spent };
}

describe('what Kubernetes answers', () => {
  it.for(goldens.map((golden) => [golden.expression, golden] as const))('%s', ([, { answer, ...request }]) => {
    const { result, error, cost } = answerExpression(request);
    const expected =
      answer.faults === undefined ? { result: answer.result, error: answer.error, cost: answer.cost } : {};
    expect({ result, error, cost }).toEqual(expected);
  });
});

describe('schemas', () => {
  const schema: StructuralSchema = {
    type: 'object',
    properties: {
      tags: { type: 'array', listType: 'set', items: { type: 'string' } },
      ports: {
        type: 'array',
        listType: 'map',
        listMapKeys: ['port'],
        items: { type: 'object', properties: { port: { type: 'integer' }, name: { type: 'string' } } },
      },
      plain: { type: 'array', items: { type: 'string' } },
      weight: { type: 'number' },
    },
  };
  const variables = {
    object: toCelValue(
      {
        tags: ['a', 'b'],
        ports: [
          { port: 1, name: 'x' },
          { port: 2, name: 'y' },
        ],
        plain: ['a', 'b'],
        weight: 2,
      },
      schema,
    ),
    other: toCelValue(
      {
        tags: ['b', 'a'],
        ports: [
          { port: 2, name: 'y' },
          { port: 1, name: 'x' },
        ],
        plain: ['b', 'a'],
        weight: 2.5,
      },
      schema,
    ),
  };

  it.for([
    ['a set has no order', 'object.tags == other.tags', true],
    ['a set is compared with a plain list', "object.tags == ['b', 'a']", true],
    ['sets differ', "object.tags == ['b', 'c']", false],
    ['a map has no order', 'object.ports == other.ports', true],
    [
      'maps differ in a value',
      "object.ports == [{'port': dyn(1), 'name': dyn('z')}, {'port': dyn(2), 'name': dyn('y')}]",
      false,
    ],
    ['a plain list has an order', 'object.plain == other.plain', false],
    ['a set is united', "object.tags + ['c', 'a'] == ['a', 'b', 'c']", true],
    [
      'a map takes values over',
      "(object.ports + [{'port': dyn(2), 'name': dyn('new')}, {'port': dyn(3)}]).map(p, has(p.name) ? p.name : '-') == ['x', 'new', '-']",
      true,
    ],
    ['a plain list is appended', "object.plain + ['a'] == ['a', 'b', 'a']", true],
    ['a number is a double', 'type(object.weight) == double && object.weight == 2.0', true],
  ] as const)('%s', ([, expression, expected]) => {
    expect(evaluate(expression, variables).result).toBe(expected);
  });
});

describe('names of fields', () => {
  const variables = { object: toCelValue({ 'a-b': { 'c/d': 1 }, __x: 2, namespace: 3 }) };

  it.for([
    ['object.a__dash__b.c__slash__d', 1],
    ['has(object.a__dash__b) && has(object.a__dash__b.c__slash__d)', true],
    ['object.__x', 2],
    ['object.__namespace__', 3],
    ['object.namespace', 3],
    ['has(object.a__dot__b)', false],
    ['has(object.toString) || has(object.constructor) || has(object.__proto__)', false],
  ] as const)('%s', ([expression, expected]) => {
    expect(evaluate(expression, variables).result).toBe(expected);
  });
});

class Lazy extends CelOpaque {
  readonly type = dynType;
  reads = 0;

  override equals(): boolean {
    return false;
  }

  override select(field: string): CelResult {
    this.reads++;
    return field === 'broken' ? new CelError('it broke') : `value of ${field}`;
  }
}

describe('messages of a type that only the checker knows', () => {
  const withTypes = buildKubernetesEnvironment({
    mode: 'new',
    objects: [{ name: 'a.Message', fields: new Map([['text', { type: stringType, property: 'text' }]]) }],
  });

  it.for([
    ["a.Message{text: 'a'}.text", new CelError("unknown type 'a.Message'"), 41],
    ['a.Message{text: string(1 / 0)}.text', new CelError('division by zero'), 43],
    ['a.Message{?text: optional.none()}.text', new CelError("unknown type 'a.Message'"), 42],
    ["a.Message{}.text == 'a' || true", true, 42],
  ] as const)('%s', ([expression, result, cost]) => {
    const { program } = compileExpression(expression, withTypes);
    const meter = new CostMeter(1e6);
    expect([program?.evaluate({}, meter), meter.spent]).toEqual([result, cost]);
  });
});

describe('values of libraries', () => {
  it.for([
    ['variables.x', 'value of x'],
    ["variables['x']", 'value of x'],
    ['has(variables.x)', true],
    ['variables.?x.orValue(1)', 'value of x'],
    ['variables.broken', new CelError('it broke')],
    ['has(variables.broken)', new CelError('it broke')],
    ['variables[1]', new CelError('no such overload')],
  ] as const)('%s', ([expression, expected]) => {
    expect(evaluate(expression, { variables: new Lazy() }).result).toEqual(expected);
  });
});

describe('bounds', () => {
  const list = (length: number): CelValue => toCelValue(Array.from({ length }, (_, index) => index));
  const nested = 'object.all(a, object.all(b, object.all(c, object.all(d, object.all(e, a + b + c + d + e >= 0)))))';

  function catchSignal(expression: string, limit: number, bounds: MeterBounds): { error: unknown; spent: number } {
    const meter = new CostMeter(limit, bounds);
    try {
      evaluate(expression, { object: list(10_000) }, meter);
    } catch (error) {
      return { error, spent: meter.spent };
    }
    throw new Error('it was not stopped');
  }

  it('ends an evaluation in the middle of a comprehension when its budget is spent', () => {
    const { error, spent } = catchSignal(nested, 100_000, {});
    expect(error).toBeInstanceOf(BudgetExceeded);
    expect(spent).toBeLessThan(100_100);
  });

  it('no operator absorbs a spent budget', () => {
    expect(
      catchSignal(`true || ${nested} || false`.replace('true || ', 'object[0] == 1 || '), 1000, {}).error,
    ).toBeInstanceOf(BudgetExceeded);
  });

  it('ends an evaluation when it is asked to', () => {
    let looks = 0;
    const { error, spent } = catchSignal(nested, 1e9, { interrupt: () => ++looks === 3 });
    expect(error).toBeInstanceOf(EvaluationInterrupted);
    expect(spent).toBeLessThan(4 * 4096 + 100);
  });

  it('a text that is added to itself ends with the budget', () => {
    const doubling = `object.map(a, object.map(b, ${Array.from({ length: 12 }, () => "'0123456789abcdef'").join(' + ')}))`;
    expect(catchSignal(doubling, 100_000, {}).error).toBeInstanceOf(BudgetExceeded);
  });
});
