import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { compileExpression } from '../compile-expression.ts';
import { buildKubernetesEnvironment } from '../kubernetes-environment.ts';
import { BudgetExceeded, CostMeter, EvaluationInterrupted } from '../plan/cost-meter.ts';
import { stringType } from '../types/cel-type.ts';
import { ArrayList } from '../values/array-list.ts';
import { CelList, CelMap, type CelResult } from '../values/cel-value.ts';
import { toCelValue } from '../values/json-value.ts';
import { measureTree } from './measure-tree.ts';

const environment = buildKubernetesEnvironment({ mode: 'stored', variables: { text: stringType } });
const text = 'a'.repeat(2_000_000);
/** 10 ms. */
const maxCallUnits = 100_000;

function evaluate(expression: string): CelResult {
  const { program } = compileExpression(expression, environment);
  if (program === undefined) throw new Error(`no expression: ${expression}`);
  return program.evaluate({ text }, new CostMeter(10_000_000, { maxCallUnits }));
}

/** A list of so many items that none can be looked at. */
const added = `[[1]]${'.map(x, x + x)'.repeat(45)}[0]`;
const doubled = `[[]]${'.map(x, [x, x])'.repeat(45)}`;

describe('a call that would take long is not begun', () => {
  it.for([
    [`'%s'.format([${doubled}])`, EvaluationInterrupted],
    [`${doubled}.indexOf(${doubled})`, EvaluationInterrupted],
    [`${doubled}.distinct()`, EvaluationInterrupted],
    [`${doubled}.flatten(99)`, EvaluationInterrupted],
    [`${doubled} == ${doubled}`, EvaluationInterrupted],
    [`${doubled} != ${doubled}`, EvaluationInterrupted],
    [`${doubled} in [${doubled}]`, EvaluationInterrupted],
    [
      `${doubled.replaceAll('[x, x]', '{1: x, 2: x}')} == ${doubled.replaceAll('[x, x]', '{1: x, 2: x}')}`,
      EvaluationInterrupted,
    ],
    [`{'a': ${doubled}} == {'a': ${doubled}}`, EvaluationInterrupted],
    [`optional.of(${doubled}) == optional.of(${doubled})`, EvaluationInterrupted],
    [`${added} == ${added}`, EvaluationInterrupted],
    [`5 in ${added}`, EvaluationInterrupted],
    [`${added}.reverse()`, BudgetExceeded],
    [`${added}.slice(0, ${2 ** 45})`, BudgetExceeded],
    [`${added}.flatten(1)`, BudgetExceeded],
    [`${added}.indexOf(5)`, EvaluationInterrupted],
    [`${added}.sum()`, EvaluationInterrupted],
    [`${added}.map(x, '').join()`, BudgetExceeded],
    [`[${added}.isSorted()]`, EvaluationInterrupted],
    [`sets.contains(${doubled}, ${doubled})`, EvaluationInterrupted],
    [`sets.equivalent(${doubled}, ${doubled})`, EvaluationInterrupted],
    [`dyn([[1]]${'.map(x, [x, x])'.repeat(45)}).isSorted()`, EvaluationInterrupted],
    ['lists.range(9223372036854775807)', BudgetExceeded],
    ['lists.range(9000000).distinct()', BudgetExceeded],
    ['text.split("").sort()', EvaluationInterrupted],
    ['text.split("").join(text)', EvaluationInterrupted],
    ['text.replace("", text)', EvaluationInterrupted],
    ['text.find("(a*)*b|(a|aa)+c")', EvaluationInterrupted],
    ['text.substring(0, 9000).findAll("(?:a.*b)?")', EvaluationInterrupted],
    ['text.substring(0, 9000).find("(x{1,40}){1,20}" + "y")', EvaluationInterrupted],
    ['isURL("http://h/" + text)', EvaluationInterrupted],
    ['format.uri().validate("http://h/" + text)', BudgetExceeded],
    ['semver("1.1.1-" + text.replace("a", "a."))', EvaluationInterrupted],
  ] as const)('%s', ([expression, signal]) => {
    expect(() => evaluate(expression)).toThrow(signal);
  });
});

describe('measureTree', () => {
  function count(value: CelResult): number {
    if (value instanceof CelList) {
      return Array.from({ length: value.size }, (_, i) => count(value.at(i))).reduce((a, b) => a + b, 1);
    }
    if (!(value instanceof CelMap)) return 1;
    return value.keys().reduce<number>((sum, key) => sum + count(key) + count(value.get(key)!), 1);
  }

  it('counts values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const value = toCelValue(json);
        expect(measureTree(value)).toBe(count(value));
      }),
    );
  });

  it('counts no further than it is asked to', () => {
    let read = 0;
    const list = new (class extends CelList {
      readonly size = 2 ** 40;
      override at(index: number): CelResult & number {
        read++;
        return index;
      }
    })();
    expect(measureTree(new ArrayList([list, list]), 1000)).toBeGreaterThan(1000);
    expect(read).toBeLessThan(2000);
  });

  it('walks parts of an object once, however often they are read', () => {
    const json = Array.from({ length: 1000 }, (_, i) => ({ name: `n${i}` }));
    const lists = new ArrayList(Array.from({ length: 100_000 }, () => toCelValue(json)));
    expect(measureTree(lists)).toBe(100_000 * 3001 + 1);
  });

  it('counts what is shared each time, and walks it once', () => {
    let list = new ArrayList([1]);
    for (let i = 0; i < 60; i++) list = new ArrayList([list, list]);
    expect(measureTree(list)).toBe(3 * 2 ** 60 - 1);
  });
});
