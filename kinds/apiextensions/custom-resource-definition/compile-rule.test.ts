import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { makeRuleCompiler } from './compile-rule.ts';
import { costCases } from './testdata/cost-cases.ts';

interface Answer {
  readonly cost?: string;
  readonly occurrences?: string;
  readonly message?: string;
  readonly fault?: string;
  readonly oldSelf?: true;
}

const answers = JSON.parse(readFileSync(new URL('testdata/cost-answers.json', import.meta.url), 'utf8')) as Answer[][];

/** The name of a type, which Kubernetes makes up for each compilation. */
function normalize(fault: string): string {
  return fault.replaceAll(/selfType\d*/g, 'selfType');
}

describe.for(costCases.map((one, index) => [one.name, one, answers[index] ?? []] as const))(
  'rules of a schema %s',
  ([, { schema, rules, stored = false }, expected]) => {
    const known = { rules: new Set(stored ? rules : []), messageExpressions: new Set<string>(), isUnchanged: false };
    const compiler = makeRuleCompiler(schema, true, known);

    it.for(rules.map((rule, index) => [rule, expected[index]] as const))(
      'cost what Kubernetes estimates: %s',
      ([rule, answer]) => {
        if (compiler === undefined) throw new Error('nothing to compile with');
        const { rule: compiled, message } = compiler.compile({ rule, messageExpression: 'self.kind' });
        if (compiled === undefined) throw new Error('the rule is empty');
        const found: Answer =
          'fault' in compiled
            ? { fault: normalize(compiled.fault) }
            : {
                cost: String(compiled.cost),
                occurrences: String(compiler.maxOccurrences),
                ...(message !== undefined && 'cost' in message ? { message: String(message.cost) } : {}),
                ...(compiled.usesOldSelf ? { oldSelf: true } : {}),
              };
        expect(found).toEqual(answer?.fault === undefined ? answer : { fault: normalize(answer.fault) });
      },
    );
  },
);
