import { beforeAll, expect, it } from 'vitest';

import type { JsonObject } from '../../core/meta/json.ts';
import { makeRuleCompiler } from '../../kinds/apiextensions/custom-resource-definition/compile-rule.ts';
import { costCases } from '../../kinds/apiextensions/custom-resource-definition/testdata/cost-cases.ts';
import { askRuleCosts, type CostAnswer } from '../oracle/ask-rule-costs.ts';
import { describeOracle } from '../oracle/describe-oracle.ts';
import { startOracle } from '../oracle/start-oracle.ts';
import { ExpressionGenerator } from './generator/expression-generator.ts';
import type { ObjectPath } from './generator/objects.ts';
import { OverloadTable } from './generator/overload-table.ts';
import { Random } from './generator/random.ts';
import { parseTypeTerm } from './generator/type-term.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const count = isSoak ? 20_000 : 2_000;
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Math.floor(Math.random() * 2 ** 31) : 20_260_401));
const rulesAtOnce = 250;
const bool = parseTypeTerm('bool');

/** Fields that the schemas with limits and without both have. */
const names: readonly ObjectPath[] = [
  ...[
    ['self.i', 'int'],
    ['self.s', 'string'],
    ['self.t', 'string'],
    ['oldSelf.s', 'string'],
    ['self.metadata.name', 'string'],
    ['self.raw', 'bytes'],
    ['self.date', 'google.protobuf.Timestamp'],
    ['self.q', 'dyn'],
    ['self.list', 'list(string)'],
    ['oldSelf.list', 'list(string)'],
    ['self.ints', 'list(int)'],
    ['self.lists', 'list(list(string))'],
    ['self.map', 'map(string, string)'],
    ['self.objects[0].name', 'string'],
    ['self.objects[0].tags', 'list(string)'],
  ].map(([text = '', type = '']) => ({ text, type })),
];

/** Rules that are conditions, and some that are not; every one is there once. */
function generateRules(table: OverloadTable, random: Random, wanted: number): string[] {
  const rules = new Set<string>();
  while (rules.size < wanted) {
    const world = { name: 'rule', request: {}, names, paths: names };
    const isSound = random.chance(0.85);
    const rates = { wrongType: isSound ? 0 : 0.05, dynamic: random.pick([0, 0, 0.1]), path: random.pick([0.2, 0.5]) };
    const generator = new ExpressionGenerator(random, table, world, rates);
    const depth = 2 + random.below(4);
    const overload = random.pick(table.all);
    const text = random.chance(0.3)
      ? `dyn(${generator.call(overload, depth)}) == dyn(1)`
      : generator.expression(bool, depth);
    if (text.trim() !== '') rules.add(text);
  }
  return [...rules];
}

function answer(schema: JsonObject, rule: string, isStored: boolean): CostAnswer {
  const known = { rules: new Set(isStored ? [rule] : []), messageExpressions: new Set<string>(), isUnchanged: false };
  const compiler = makeRuleCompiler(schema, true, known);
  const compiled = compiler?.compile({ rule }).rule;
  if (compiled === undefined) return {};
  return 'fault' in compiled ? { fault: compiled.fault } : { cost: String(compiled.cost) };
}

interface Outcome {
  readonly rule: string;
  readonly theirs: CostAnswer;
  readonly ours: CostAnswer;
}

describeOracle(`generated rules (seed ${seed}) cost here what Kubernetes estimates`, () => {
  const outcomes: Outcome[] = [];

  beforeAll(async () => {
    const random = new Random(seed);
    const oracle = await startOracle();
    try {
      for (const mode of ['new', 'stored'] as const) {
        const { functions } = await oracle.ask({ expression: '', mode, environment: true });
        const table = new OverloadTable(functions ?? {});
        const questions = Array.from({ length: count / rulesAtOnce / 2 }, (_, index) => {
          const schema = costCases[index % 2]?.schema ?? {};
          return { schema, rules: generateRules(table, random, rulesAtOnce), stored: mode === 'stored' };
        });
        const answers = await askRuleCosts(questions);
        for (const [i, { schema, rules, stored }] of questions.entries()) {
          for (const [j, rule] of rules.entries()) {
            outcomes.push({ rule, theirs: answers[i]?.[j] ?? {}, ours: answer(schema, rule, stored) });
          }
        }
      }
    } finally {
      await oracle.stop();
    }
  });

  function show({ rule, theirs, ours }: Outcome): string {
    return `${rule}\n  Kubernetes: ${theirs.cost ?? theirs.fault}\n  ours: ${ours.cost ?? ours.fault}`;
  }

  it('most of them compile', () => {
    expect(outcomes.filter(({ theirs }) => theirs.panics).length).toBeLessThan(count / 200);
    const compiled = outcomes.filter(({ theirs }) => theirs.cost !== undefined);
    console.log(`seed ${seed}: ${outcomes.length} rules, ${compiled.length} of them compile`);
    expect(compiled.length).toBeGreaterThan(count / 2);
  });

  it('to the unit', () => {
    const differing = outcomes.filter(
      ({ theirs, ours }) => theirs.cost !== undefined && ours.cost !== undefined && theirs.cost !== ours.cost,
    );
    expect(differing.map(show)).toEqual([]);
  });

  it('or are refused by both', () => {
    const differing = outcomes.filter(
      ({ theirs, ours }) => !theirs.panics && (theirs.fault === undefined) !== (ours.fault === undefined),
    );
    expect(differing.map(show)).toEqual([]);
  });
});
