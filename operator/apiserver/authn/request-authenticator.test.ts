import { describe, expect, it } from 'vitest';
import { readBearerToken } from '../../../platform/authentication/bearer-token.ts';
import type { ClientCertificate } from '../../../platform/authentication/client-certificate.ts';
import type { AuthenticationRequest } from './authenticator.ts';
import { RequestAuthenticator } from './request-authenticator.ts';
import { parseTokenFile, StaticTokenAuthenticator, TokenFileError } from './static-tokens.ts';

const apiAudiences = ['api'];
const staticTokens = new StaticTokenAuthenticator({
  users: parseTokenFile('secret,ann,u1,"devs,ops"\nanon,system:anonymous,,system:unauthenticated\n'),
  apiAudiences,
});
const authenticator = new RequestAuthenticator({ tokenAuthenticators: [staticTokens] });

const certificate: ClientCertificate = {
  commonName: 'bob',
  organizations: ['system:masters'],
  sha256: 'ab',
  issuers: [],
};

describe('RequestAuthenticator', () => {
  const refused = { authenticated: false };
  const cases: [string, Partial<AuthenticationRequest>, object][] = [
    ['nothing', {}, refused],
    ['nothing at /version', { path: '/version' }, refused],
    ['nothing at /metrics', { path: '/metrics' }, refused],
    [
      'nothing at /readyz',
      { path: '/readyz' },
      { user: { username: 'system:anonymous', groups: ['system:unauthenticated'] } },
    ],
    ['nothing below /livez', { path: '/livez/ping' }, { user: { username: 'system:anonymous' } }],
    ['nothing at a path that only begins alike', { path: '/healthzzz' }, refused],
    ['a wrong token at /readyz', { path: '/readyz', authorization: 'Bearer wrong' }, refused],
    [
      'a token',
      { authorization: 'Bearer secret' },
      { user: { username: 'ann', uid: 'u1', groups: ['devs', 'ops', 'system:authenticated'] } },
    ],
    ['the scheme in lower case', { authorization: 'bearer secret' }, { user: { username: 'ann' } }],
    ['a token and more', { authorization: 'Bearer secret more' }, { user: { username: 'ann' } }],
    ['two spaces before the token', { authorization: 'Bearer  secret' }, refused],
    ['another scheme', { authorization: 'Basic secret' }, refused],
    ['a wrong token', { authorization: 'Bearer secre' }, { authenticated: false, fault: 'invalid bearer token' }],
    ['a token of every object', { authorization: 'Bearer __proto__' }, refused],
    [
      'a token of the anonymous user',
      { authorization: 'Bearer anon' },
      { user: { username: 'system:anonymous', groups: ['system:unauthenticated'] } },
    ],
    [
      'a certificate',
      { clientCertificate: certificate },
      {
        user: {
          username: 'bob',
          groups: ['system:masters', 'system:authenticated'],
          extra: { 'authentication.kubernetes.io/credential-id': ['X509SHA256=ab'] },
        },
      },
    ],
    [
      'a certificate and a wrong token',
      { clientCertificate: certificate, authorization: 'Bearer x' },
      { user: { username: 'bob' } },
    ],
    ['a certificate without a name', { clientCertificate: { ...certificate, commonName: '' } }, refused],
    [
      'a certificate without a name and a token',
      { clientCertificate: { ...certificate, commonName: '' }, authorization: 'Bearer secret' },
      { user: { username: 'ann' } },
    ],
  ];
  it.for(cases)('%s', async ([, request, result]) => {
    expect(await authenticator.authenticate({ path: '/api/v1/pods', headers: {}, ...request })).toMatchObject(result);
  });
});

describe('readBearerToken', () => {
  it.for<[string | undefined, string | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    [' Bearer a ', 'a'],
    ['BEARER a', 'a'],
    ['Bearera', undefined],
  ])('of %j is %j', ([header, token]) => {
    expect(readBearerToken(header)).toBe(token);
  });
});

describe('static tokens', () => {
  it.for<[string[] | undefined, string[] | undefined]>([
    [undefined, ['api']],
    [['api', 'x'], ['api']],
    [['x'], undefined],
  ])('for the audiences %j are meant for %j', async ([asked, meant]) => {
    const result = await staticTokens.authenticateToken('secret', asked);
    expect(result?.authenticated === true ? result.audiences : undefined).toEqual(meant);
  });

  it.for<[string, string, [string, string, string[]][]]>([
    ['three columns', 't,u,1', [['t', 'u', []]]],
    ['groups in quotes', 't,u,1,"a,b"', [['t', 'u', ['a', 'b']]]],
    ['one group', 't,u,1,a', [['t', 'u', ['a']]]],
    ['quoted fields with quotes inside', '"t""x",u,1', [['t"x', 'u', []]]],
    [
      'line ends of every sort and blank lines',
      't,u,1\r\n\ns,v,2\n',
      [
        ['t', 'u', []],
        ['s', 'v', []],
      ],
    ],
    ['an empty token', ',u,1\nt,v,2', [['t', 'v', []]]],
    ['a token twice', 't,u,1\nt,v,2', [['t', 'v', []]]],
    ['names of every object', '__proto__,constructor,1', [['__proto__', 'constructor', []]]],
    ['nothing', '', []],
  ])('with %s', ([, text, rows]) => {
    const users = [...parseTokenFile(text)].map(([token, user]) => [token, user.username, [...user.groups]]);
    expect(users).toEqual(rows);
  });

  it.for<[string, string]>([
    ['t,u', 'token file, line 1: must have at least 3 columns (token, user name, user uid), found 2'],
    ['t,u,1\n\nsecret', 'token file, line 3: must have at least 3 columns (token, user name, user uid), found 1'],
    ['t,u,"1', 'token file, line 1: a quoted field does not end'],
    ['t,u,"1"x', 'token file, line 1: text follows a quoted field'],
    ['t,u,1"x', 'token file, line 1: a quote stands inside of a field that is not quoted'],
  ])('refuses %j without telling a token', ([text, message]) => {
    expect(() => parseTokenFile(text)).toThrow(TokenFileError);
    expect(() => parseTokenFile(text)).toThrow(message);
  });
});
