import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject, ObjectMeta } from '../../../core/meta/kube-object.ts';
import { ManualClock } from '../../../platform/process/manual-clock.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import type { TokenBinding, TokenObjects } from './token-binding.ts';

const issuer = 'https://kubernetes.default.svc.cluster.local';
const startMillis = Date.UTC(2026, 5, 1);

function makeKey(type: 'ec' | 'rsa' = 'ec'): string {
  const pair =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

const privateKey = makeKey();
const rsaKey = makeKey('rsa');

/** Objects by `resource/namespace/name`. */
class FixedObjects implements TokenObjects {
  readonly objects = new Map<string, KubeObject>();

  set(resource: string, name: string, namespace: string, metadata: ObjectMeta): void {
    this.objects.set(`${resource}/${namespace}/${name}`, {
      apiVersion: 'v1',
      kind: 'Object',
      metadata: { name, ...metadata },
    });
  }

  async find(resource: string, name: string, namespace = ''): Promise<KubeObject | undefined> {
    return this.objects.get(`${resource}/${namespace}/${name}`);
  }
}

const account = { name: 'robot', uid: 'uid-robot' };
const plain: TokenBinding = { namespace: 'build', serviceAccount: account };

let clock: ManualClock;
let objects: FixedObjects;
let tokens: ServiceAccountTokens;

function makeTokens(key: string, ownIssuer = issuer): ServiceAccountTokens {
  return new ServiceAccountTokens({ privateKey: key, issuer: ownIssuer, apiAudiences: [issuer], clock, objects });
}

beforeEach(() => {
  clock = new ManualClock(startMillis);
  objects = new FixedObjects();
  objects.set('serviceaccounts', 'robot', 'build', { uid: 'uid-robot' });
  objects.set('pods', 'web', 'build', { uid: 'uid-web' });
  objects.set('secrets', 'cred', 'build', { uid: 'uid-cred' });
  objects.set('nodes', 'n1', '', { uid: 'uid-n1' });
  tokens = makeTokens(privateKey);
});

function issue(binding = plain, audiences = [issuer], expirationSeconds = 3_600): string {
  return tokens.issue({ binding, audiences, expirationSeconds });
}

function decode(part: string | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The token with other claims or another header, signed anew by `signer`. */
function forge(
  token: string,
  change: { header?: object; claims?: object },
  signer: (signedPart: string) => Buffer,
): string {
  const [header, claims] = token.split('.');
  const signedPart = `${encode({ ...decode(header), ...change.header })}.${encode({ ...decode(claims), ...change.claims })}`;
  return `${signedPart}.${signer(signedPart).toString('base64url')}`;
}

function signWith(key: string): (signedPart: string) => Buffer {
  return (signedPart) => sign('sha256', Buffer.from(signedPart), { key, dsaEncoding: 'ieee-p1363' });
}

describe('a valid token', () => {
  it('is its service account', async () => {
    const token = issue();
    const { jti } = decode(token.split('.')[1]);
    expect(await tokens.authenticateToken(token)).toEqual({
      authenticated: true,
      user: {
        username: 'system:serviceaccount:build:robot',
        uid: 'uid-robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:build'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${String(jti)}`] },
      },
      audiences: [issuer],
    });
  });

  it('tells of its pod and node', async () => {
    const binding = { ...plain, pod: { name: 'web', uid: 'uid-web' }, node: { name: 'n1', uid: 'uid-n1' } };
    expect(await tokens.authenticateToken(issue(binding))).toMatchObject({
      user: {
        extra: {
          'authentication.kubernetes.io/pod-name': ['web'],
          'authentication.kubernetes.io/pod-uid': ['uid-web'],
          'authentication.kubernetes.io/node-name': ['n1'],
          'authentication.kubernetes.io/node-uid': ['uid-n1'],
        },
      },
    });
  });

  it('works with an RSA key', async () => {
    tokens = makeTokens(rsaKey);
    const token = issue();
    expect(decode(token.split('.')[0])).toMatchObject({ alg: 'RS256' });
    expect(await tokens.authenticateToken(token)).toMatchObject({ authenticated: true });
  });

  it('is known again after a restart with the same key', async () => {
    const token = issue();
    expect(await makeTokens(privateKey).authenticateToken(token)).toMatchObject({ authenticated: true });
  });
});

describe('a forged token', () => {
  const hmacOverPublicKey = (signedPart: string): Buffer => {
    const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' });
    return createHmac('sha256', publicKey).update(signedPart).digest();
  };
  const cases: [string, (token: string) => string][] = [
    [
      'changed claims',
      (token) => forge(token, { claims: { sub: 'x' } }, () => Buffer.from(token.split('.')[2] ?? '', 'base64url')),
    ],
    ['no signature', (token) => `${token.split('.').slice(0, 2).join('.')}.`],
    ['the algorithm none', (token) => forge(token, { header: { alg: 'none' } }, () => Buffer.from('x'))],
    [
      'the algorithm none, spelled otherwise',
      (token) => forge(token, { header: { alg: 'nOnE' } }, () => Buffer.from('x')),
    ],
    ['an HMAC over the public key', (token) => forge(token, { header: { alg: 'HS256' } }, hmacOverPublicKey)],
    ['the key of somebody else', (token) => forge(token, {}, signWith(makeKey()))],
    [
      'the key of somebody else without a key id',
      (token) => forge(token, { header: { kid: '' } }, signWith(makeKey())),
    ],
    ['a key id of somebody else', (token) => forge(token, { header: { kid: 'x' } }, signWith(privateKey))],
    ['critical header parameters', (token) => forge(token, { header: { crit: ['b64'] } }, signWith(privateKey))],
  ];
  it.for(cases)('with %s is refused', async ([, make]) => {
    const result = await tokens.authenticateToken(make(issue()));
    expect(result?.authenticated ?? false).toBe(false);
  });

  it('is refused with a signature spelled in another way', async () => {
    const token = issue();
    const last = token.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = alphabet[alphabet.indexOf(last) ^ 1] ?? '';
    expect(await tokens.authenticateToken(token.slice(0, -1) + twin)).toBeUndefined();
  });

  it.for(['', 'a', 'a.b', 'a.b.c', 'a.b.c.d', '{}', '....', `${encode([])}.${encode([])}.AA`])(
    'that is none (%s) is nobody’s',
    async (token) => {
      expect(await tokens.authenticateToken(token)).toBeUndefined();
    },
  );

  it('of another issuer is nobody’s', async () => {
    const other = makeTokens(privateKey, 'https://elsewhere');
    const token = other.issue({ binding: plain, audiences: [issuer], expirationSeconds: 3_600 });
    expect(await tokens.authenticateToken(token)).toBeUndefined();
  });
});

describe('a token at another time', () => {
  const cases: [string, number, string | undefined][] = [
    ['before its end', 3_600, undefined],
    ['just after its end', 3_600 + 60, undefined],
    ['after its end and the leeway', 3_600 + 61, 'service account token has expired'],
    ['a little before its begin', -60, undefined],
    ['before its begin', -61, 'service account token is not valid yet'],
  ];
  it.for(cases)('%s', async ([, seconds, fault]) => {
    const token = issue();
    expect(await tokens.authenticateToken(token)).toMatchObject({ authenticated: true });
    clock = new ManualClock(startMillis + seconds * 1_000);
    tokens = makeTokens(privateKey);
    expect(await tokens.authenticateToken(token)).toMatchObject(
      fault === undefined ? { authenticated: true } : { authenticated: false, fault },
    );
  });

  it('expires although its signature was verified before', async () => {
    const token = issue();
    await tokens.authenticateToken(token);
    clock.advance(4_000_000);
    expect(await tokens.authenticateToken(token)).toMatchObject({ fault: 'service account token has expired' });
  });

  it('without an end is refused', async () => {
    const token = forge(issue(), { claims: { exp: undefined } }, signWith(privateKey));
    expect(await tokens.authenticateToken(token)).toMatchObject({ authenticated: false });
  });
});

describe('the audience', () => {
  const cases: [string[], string[] | undefined, string[] | undefined][] = [
    [[issuer], undefined, [issuer]],
    [['vault'], undefined, undefined],
    [['vault'], ['vault'], ['vault']],
    [['vault', issuer], ['vault', 'other'], ['vault']],
    [[issuer], ['vault'], undefined],
  ];
  it.for(cases)('of a token for %j asked for %j', async ([audiences, asked, matching]) => {
    expect(await tokens.authenticateToken(issue(plain, audiences), asked)).toMatchObject(
      matching === undefined ? { authenticated: false } : { authenticated: true, audiences: matching },
    );
  });

  it('is named when it does not fit', async () => {
    expect(await tokens.authenticateToken(issue(plain, ['vault']))).toEqual({
      authenticated: false,
      fault: `token audiences ["vault"] is invalid for the target audiences ["${issuer}"]`,
    });
  });
});

describe('a token dies with what it is bound to', () => {
  const deletedAt = (seconds: number): string =>
    new Date(startMillis - seconds * 1_000).toISOString().replace('.000', '');
  const cases: [string, Partial<TokenBinding>, (all: FixedObjects) => void, string | undefined][] = [
    ['an account that is gone', {}, (all) => all.objects.clear(), 'serviceaccounts "robot" not found'],
    [
      'an account that was made anew',
      {},
      (all) => all.set('serviceaccounts', 'robot', 'build', { uid: 'other' }),
      'service account UID (other) does not match claim (uid-robot)',
    ],
    [
      'an account that was deleted a while ago and waits for finalizers',
      {},
      (all) => all.set('serviceaccounts', 'robot', 'build', { uid: 'uid-robot', deletionTimestamp: deletedAt(61) }),
      'service account build/robot has been deleted',
    ],
    [
      'an account that was deleted just now and waits for finalizers',
      {},
      (all) => all.set('serviceaccounts', 'robot', 'build', { uid: 'uid-robot', deletionTimestamp: deletedAt(59) }),
      undefined,
    ],
    [
      'a pod that is gone',
      { pod: { name: 'web', uid: 'uid-web' } },
      (all) => all.objects.delete('pods/build/web'),
      'service account token has been invalidated',
    ],
    [
      'a pod that was made anew',
      { pod: { name: 'web', uid: 'uid-web' } },
      (all) => all.set('pods', 'web', 'build', { uid: 'other' }),
      'Pod UID (other) does not match service account pod ref claim (uid-web)',
    ],
    [
      'a node that is gone while the pod is not',
      { pod: { name: 'web', uid: 'uid-web' }, node: { name: 'n1', uid: 'uid-n1' } },
      (all) => all.objects.delete('nodes//n1'),
      undefined,
    ],
    [
      'a node that is gone',
      { node: { name: 'n1', uid: 'uid-n1' } },
      (all) => all.objects.delete('nodes//n1'),
      'service account token has been invalidated',
    ],
    [
      'a secret that was deleted',
      { secret: { name: 'cred', uid: 'uid-cred' } },
      (all) => all.set('secrets', 'cred', 'build', { uid: 'uid-cred', deletionTimestamp: deletedAt(100) }),
      'service account token has been invalidated',
    ],
    ['nothing else', { pod: { name: 'web', uid: 'uid-web' } }, () => undefined, undefined],
  ];
  it.for(cases)('%s', async ([, bound, disturb, fault]) => {
    const token = issue({ ...plain, ...bound });
    disturb(objects);
    expect(await tokens.authenticateToken(token)).toMatchObject(
      fault === undefined ? { authenticated: true } : { authenticated: false, fault },
    );
  });
});
