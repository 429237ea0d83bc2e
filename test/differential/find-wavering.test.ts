import { expect, it } from 'vitest';

import { compareCase } from './compare-case.ts';
import type { DifferentialCase } from './differential-case.ts';
import { findWavering, renameCase } from './find-wavering.ts';
import type { NormalAnswer } from './normalize-answers.ts';

const given: DifferentialCase = {
  name: 'one',
  steps: [
    { method: 'POST', path: '/a' },
    { method: 'POST', path: '/b' },
  ],
};

function answer(...statuses: number[]): NormalAnswer[] {
  return statuses.map((status) => ({ status, headers: {}, body: { namespace: 'd-one' } }));
}

function answerAgain(...statuses: number[]): NormalAnswer[] {
  return answer(...statuses).map((one) => ({ ...one, body: { namespace: `d-${renameCase(given).name}` } }));
}

it.for<[string, [number, number], [number, number], [number, number], [number, number], number[]]>([
  ['the real one, when it comes round to our answer', [201, 201], [201, 403], [201, 403], [201, 403], [2]],
  ['not ours, when we come round', [201, 201], [201, 403], [201, 201], [201, 201], []],
  ['nobody, when both repeat themselves', [201, 201], [201, 403], [201, 201], [201, 403], []],
  ['nobody, when both change', [201, 201], [201, 403], [201, 403], [201, 201], []],
  ['only the step that wavered', [201, 201], [409, 403], [201, 403], [409, 403], [2]],
])('blames %s', ([, real, ours, realAgain, oursAgain, steps]) => {
  const first = { real: answer(...real), ours: answer(...ours) };
  const again = { real: answerAgain(...realAgain), ours: answerAgain(...oursAgain) };
  const differences = compareCase(given, first.real, first.ours, []);
  expect(findWavering(given, differences, first, again).map(({ step }) => step)).toEqual(steps);
});
