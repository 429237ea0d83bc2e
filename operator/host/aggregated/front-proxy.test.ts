import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../platform/certificates/make-certificate.ts';
import type { AuthenticationRequest } from '../../apiserver/authn/authenticator.ts';
import { FrontProxyAuthenticator } from './front-proxy-authenticator.ts';
import { readFrontProxySettings, type FrontProxySettings } from './front-proxy-settings.ts';

const settings: FrontProxySettings = {
  authorities: 'PEM',
  fingerprints: new Set(['aa']),
  allowedNames: ['aggregator'],
  usernameHeaders: ['x-user', 'x-other-user'],
  uidHeaders: ['x-uid'],
  groupHeaders: ['x-group'],
  extraPrefixes: ['x-extra-'],
};
const proxy = { commonName: 'aggregator', organizations: [], sha256: '01', issuers: ['aa'] };
const headers = { 'x-user': ['ann'], 'x-group': ['devs', 'ops'] };
const ann = { username: 'ann', groups: ['devs', 'ops', 'system:authenticated'], extra: {} };

interface Case {
  readonly name: string;
  readonly request: Partial<AuthenticationRequest>;
  readonly settings?: Partial<FrontProxySettings> | undefined;
  readonly user?: object;
}

const cases: readonly Case[] = [
  { name: 'the proxy speaks for somebody', request: { headers, clientCertificate: proxy }, user: ann },
  { name: 'the same headers without a certificate', request: { headers } },
  {
    name: 'a certificate of another authority',
    request: { headers, clientCertificate: { ...proxy, issuers: ['bb'] } },
  },
  { name: 'a certificate without an authority', request: { headers, clientCertificate: { ...proxy, issuers: [] } } },
  { name: 'a certificate of another name', request: { headers, clientCertificate: { ...proxy, commonName: 'other' } } },
  {
    name: 'any name where none is asked for',
    request: { headers, clientCertificate: { ...proxy, commonName: 'other' } },
    settings: { allowedNames: [] },
    user: ann,
  },
  {
    name: 'an authority that is no longer believed',
    request: { headers, clientCertificate: proxy },
    settings: { fingerprints: new Set(['cc']) },
  },
  { name: 'the proxy without a user', request: { headers: {}, clientCertificate: proxy } },
  { name: 'a bearer token', request: { headers: {}, authorization: 'Bearer x' } },
  {
    name: 'the proxy with a token only',
    request: { headers: {}, authorization: 'Bearer x', clientCertificate: proxy },
  },
  {
    name: 'headers of the usual names, which are not those that are configured',
    request: { headers: { 'x-remote-user': ['root'], 'x-remote-group': ['system:masters'] }, clientCertificate: proxy },
  },
  {
    name: 'the second header of a user, uid and extras',
    request: {
      headers: {
        'x-user': [''],
        'x-other-user': ['bob'],
        'x-uid': ['7'],
        'x-extra-a%2fb': ['1', '2'],
        'x-extra-%': ['3'],
      },
      clientCertificate: proxy,
    },
    user: { username: 'bob', uid: '7', groups: ['system:authenticated'], extra: { 'a/b': ['1', '2'], '%': ['3'] } },
  },
  {
    name: 'nobody at a health path',
    request: { path: '/readyz', headers },
    user: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
  },
];

describe('FrontProxyAuthenticator', () => {
  it.for(cases)('$name', async ({ request, user, ...given }) => {
    const authenticator = new FrontProxyAuthenticator(() => ({ ...settings, ...given.settings }));
    const result = await authenticator.authenticate({ path: '/apis', headers: {}, ...request });
    expect(result).toEqual(user === undefined ? { authenticated: false } : { authenticated: true, user });
  });

  it('believes nobody while nothing is known of the proxy', async () => {
    const authenticator = new FrontProxyAuthenticator(() => undefined);
    expect(await authenticator.authenticate({ path: '/apis', headers, clientCertificate: proxy })).toEqual({
      authenticated: false,
    });
  });
});

describe('readFrontProxySettings', () => {
  it('reads what a host publishes', async () => {
    const { certificate } = await makeCertificate({
      commonName: 'front-proxy-ca',
      purpose: 'authority',
      notBeforeMillis: 0,
      notAfterMillis: 4_000_000_000_000,
    });
    const data = {
      'client-ca-file': 'another authority',
      'requestheader-client-ca-file': certificate,
      'requestheader-allowed-names': '["a"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
    };
    const read = readFrontProxySettings({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data });
    expect(read).toMatchObject({
      authorities: certificate,
      allowedNames: ['a'],
      usernameHeaders: ['x-remote-user'],
      groupHeaders: ['x-remote-group'],
      extraPrefixes: ['x-remote-extra-'],
      uidHeaders: ['x-remote-uid'],
    });
    expect(read?.fingerprints.size).toBe(1);
  });

  it('finds no proxy where there is none, and nobody in what cannot be read', () => {
    const make = (data: Record<string, string>) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data });
    expect(readFrontProxySettings(undefined)).toBeUndefined();
    expect(readFrontProxySettings(make({ 'client-ca-file': 'x' }))).toBeUndefined();
    expect(readFrontProxySettings(make({ 'requestheader-client-ca-file': 'x' }))).toBeUndefined();
    const broken = { 'requestheader-client-ca-file': 'x', 'requestheader-username-headers': '[1]' };
    expect(() => readFrontProxySettings(make(broken))).toThrow();
  });
});
