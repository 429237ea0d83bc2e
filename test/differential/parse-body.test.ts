import { expect, it } from 'vitest';

import { parseBody } from './parse-body.ts';

it.for<[string, string, string, unknown]>([
  ['an object', 'application/json', '{"a":1.5}', { a: 1.5 }],
  ['integers beyond a double', 'application/json', '{"a":9007199254740993}', { a: 9_007_199_254_740_993n }],
  ['lines', 'application/json', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
  ['text', 'text/plain', '1', '1'],
  ['what says that it is JSON and is not', 'application/json', '{', '{'],
])('reads %s', ([, contentType, text, expected]) => {
  expect(parseBody(Buffer.from(text), contentType)).toEqual(expected);
});
