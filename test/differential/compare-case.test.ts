import { expect, it } from 'vitest';

import { compareCase } from './compare-case.ts';
import type { DifferentialStep } from './differential-case.ts';
import type { NormalAnswer } from './normalize-answers.ts';

function answer(status: number, body: unknown): NormalAnswer {
  return { status, headers: {}, body };
}

function refuse(...causes: { field: string; message: string }[]): NormalAnswer {
  const message = `Kind "a" is invalid: [${causes.map(({ field, message: fault }) => `${field}: ${fault}`).join(', ')}]`;
  return answer(422, { kind: 'Status', message, details: { kind: 'Kind', name: 'a', causes } });
}

const get: DifferentialStep = { method: 'GET', path: '/a' };
const first = { field: 'metadata.labels', message: 'Invalid value: "a"' };
const second = { field: 'metadata.labels', message: 'Invalid value: "b"' };
const zero = {
  field: 'spec.limited.borrowingLimitPercent',
  message: 'Invalid value: 0: if specified, must be positive',
};
const stored = answer(201, { kind: 'Kind', metadata: { name: 'a' } });
const discovery: DifferentialStep = { ...get, deviation: 'webhooks' };

function list(...names: string[]): NormalAnswer {
  return answer(200, { kind: 'APIResourceList', resources: names.map((name) => ({ name })) });
}

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
  ['a fault by the specification as explained', get, stored, refuse(zero), [['specification']]],
  ['no other fault beside it', get, stored, refuse(zero, first), [[]]],
  ['the class that a step names', discovery, list('a', 'mutatingwebhookconfigurations'), list('a'), [['kinds']]],
  ['another class than the step names as unexplained', discovery, refuse(first, second), refuse(second, first), [[]]],
  ['a deviation that is none any more', discovery, list('a'), list('a'), [[]]],
])('tells %s', ([, step, real, ours, expected]) => {
  const differences = compareCase({ name: 'case', steps: [step] }, [real], [ours]);
  expect(differences.map(({ explained }) => explained)).toEqual(expected);
});
