import { expect, it } from 'vitest';

import { compareCase } from './compare-case.ts';
import type { DifferentialStep } from './differential-case.ts';
import type { NormalAnswer } from './normalize-answers.ts';

function answer(status: number, body: unknown): NormalAnswer {
  return { status, headers: {}, body };
}

function refuse(...causes: { field: string; message: string }[]): NormalAnswer {
  const message = `Kind "a" is invalid: [${causes.map(({ field, message: fault }) => `${field}: ${fault}`).join(', ')}]`;
  return answer(422, { kind: 'Status', message, details: { causes } });
}

const get: DifferentialStep = { method: 'GET', path: '/a' };
const first = { field: 'a', message: 'Required value' };
const second = { field: 'b', message: 'Required value' };
const zero = {
  field: 'spec.limited.borrowingLimitPercent',
  message: 'Invalid value: 0: if specified, must be positive',
};

it.for<[string, DifferentialStep, NormalAnswer, NormalAnswer, readonly (readonly string[])[]]>([
  ['nothing about equal answers', get, answer(200, { a: 1 }), answer(200, { a: 1 }), []],
  ['another status', get, answer(200, {}), answer(404, {}), [[]]],
  [
    'nothing that a step ignores',
    { ...get, ignores: ['a.*.b'] },
    answer(200, { a: [{ b: 1 }] }),
    answer(200, { a: [{}] }),
    [],
  ],
  ['only the status where that is enough', { ...get, compares: 'status' }, answer(200, { a: 1 }), answer(200, {}), []],
  ['the order of faults as explained', get, refuse(first, second), refuse(second, first), [['order']]],
  ['a missing fault as unexplained', get, refuse(first, second), refuse(first), [[]]],
  ['a fault by the specification as explained', get, answer(201, {}), refuse(zero), [['specification']]],
  ['no other fault beside it', get, answer(201, {}), refuse(zero, first), [[]]],
  [
    'the class that a step names',
    { ...get, deviation: 'anonymous' },
    answer(403, {}),
    answer(401, {}),
    [['specification']],
  ],
  ['a deviation that is none any more', { ...get, deviation: 'anonymous' }, answer(401, {}), answer(401, {}), [[]]],
])('tells %s', ([, step, real, ours, expected]) => {
  const differences = compareCase({ name: 'case', steps: [step] }, [real], [ours]);
  expect(differences.map(({ explained }) => explained)).toEqual(expected);
});
