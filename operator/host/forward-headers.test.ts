import { describe, expect, it } from 'vitest';
import { composeForwardHeaders, hasBody, listAnswerHeaders, type ForwardIdentity } from './forward-headers.ts';

const caller = { address: '192.0.2.1', auditId: 'id' };
const always = { 'audit-id': 'id', 'x-forwarded-for': '192.0.2.1' };
const impersonated: ForwardIdentity = {
  as: 'impersonated',
  user: {
    username: 'ann',
    groups: ['devs', 'ops', 'system:authenticated'],
    uid: '7',
    extra: { 'a/b': ['1', '2'], 'authentication.kubernetes.io/credential-id': ['X509SHA256=00'] },
  },
};

const cases: readonly (readonly [
  name: string,
  identity: ForwardIdentity,
  given: Record<string, string[]>,
  headers: Record<string, string | string[]>,
])[] = [
  [
    "a caller's token and impersonation",
    { as: 'caller' },
    { authorization: ['Bearer x'], 'impersonate-user': ['bob'], 'impersonate-group': ['a', 'b'] },
    { authorization: 'Bearer x', 'impersonate-user': 'bob', 'impersonate-group': ['a', 'b'] },
  ],
  [
    'the own identity, without the token beside it',
    { as: 'self' },
    { authorization: ['Bearer x'], 'impersonate-user': ['bob'] },
    { 'impersonate-user': 'bob' },
  ],
  [
    'somebody, whatever the headers ask for',
    impersonated,
    { authorization: ['Bearer x'], 'impersonate-user': ['root'], 'impersonate-group': ['system:masters'] },
    {
      'impersonate-user': 'ann',
      'impersonate-group': ['devs', 'ops'],
      'impersonate-uid': '7',
      'impersonate-extra-a%2Fb': ['1', '2'],
    },
  ],
  [
    'nothing of the connection, and no identity of a front proxy',
    { as: 'caller' },
    {
      connection: ['keep-alive, X-Own'],
      'keep-alive': ['timeout=5'],
      'transfer-encoding': ['chunked'],
      upgrade: ['websocket'],
      te: ['trailers'],
      host: ['a'],
      'x-own': ['1'],
      'x-remote-user': ['root'],
      'x-remote-extra-scopes': ['all'],
      accept: ['application/json'],
    },
    { accept: 'application/json' },
  ],
  [
    'who forwarded before',
    { as: 'caller' },
    { 'x-forwarded-for': ['198.51.100.1'] },
    { 'x-forwarded-for': '198.51.100.1, 192.0.2.1' },
  ],
];

describe('composeForwardHeaders', () => {
  it.for(cases)('sends %s', ([, identity, given, headers]) => {
    expect(composeForwardHeaders(given, identity, caller)).toEqual({ ...always, ...headers });
  });
});

describe('listAnswerHeaders', () => {
  const headers = {
    warning: ['1', '2'],
    etag: ['"a"'],
    'content-length': ['5'],
    connection: ['close'],
    'retry-after': ['1'],
  };

  it('hands on what is about the answer', () => {
    expect(Object.fromEntries(listAnswerHeaders(headers, false))).toEqual({
      warning: ['1', '2'],
      etag: ['"a"'],
      'content-length': ['5'],
      'retry-after': ['1'],
    });
  });

  it('leaves out what is about bytes that are rewritten', () => {
    expect(Object.fromEntries(listAnswerHeaders(headers, true))).toEqual({ warning: ['1', '2'], 'retry-after': ['1'] });
  });
});

describe('hasBody', () => {
  it.for([
    [{}, false],
    [{ 'content-length': '0' }, false],
    [{ 'content-length': '1' }, true],
    [{ 'transfer-encoding': 'chunked' }, true],
  ] as const)('%o: %s', ([headers, expected]) => {
    expect(hasBody(headers)).toBe(expected);
  });
});
