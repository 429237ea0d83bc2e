import { expect, it } from 'vitest';

import { measureSchema } from './measure-schema.ts';

it.for<[name: string, values: readonly string[], maxElements: number]>([
  ['a few', ['a', 'abc', 'é'], 3],
  ['characters of more bytes', ['ab', 'éé'], 4],
  ['more than a call takes', Array.from({ length: 200_000 }, (_, index) => `v${index}`), 7],
])('a text out of %s values is as long as the longest', ([, values, maxElements]) => {
  expect(measureSchema({ type: 'string', enum: [...values] }, false)).toEqual({ maxElements, minBytes: 2 });
});
