import { expect, it } from 'vitest';
import { readTokenAudiences } from './token-audiences.ts';

const encode = (claims: unknown): string => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;

it.for<[string, string, string[]]>([
  ['one', encode({ aud: 'a' }), ['a']],
  ['several', encode({ aud: ['a', 'b'] }), ['a', 'b']],
  ['those that are texts', encode({ aud: ['a', 1, null] }), ['a']],
  ['none that are said', encode({ iss: 'x' }), []],
  ['none of a list', encode(['a']), []],
  ['none of an opaque token', 'abcdef', []],
  ['none of two parts', 'a.b', []],
  ['none of parts that are no JSON', 'a.b.c', []],
])('reads audiences: %s', ([, token, audiences]) => {
  expect(readTokenAudiences(token)).toEqual(audiences);
});
