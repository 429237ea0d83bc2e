import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPlainKubeconfig } from './plain-kubeconfig.ts';

function make(user: unknown, cluster: object = {}, context: object = {}) {
  return {
    clusters: [
      { name: 'other', cluster: { server: 'https://other' } },
      { name: 'c', cluster: { server: 'https://host:6443/', ...cluster } },
    ],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...context } }],
    'current-context': 'x',
  };
}

describe('readPlainKubeconfig', () => {
  it.for<[string, unknown]>([
    ['a plugin', make({ exec: { command: 'x' } })],
    ['a provider', make({ 'auth-provider': { name: 'oidc' } })],
    ['a password', make({ username: 'a', password: 'b' })],
    ['another identity', make({ token: 't', as: 'somebody' })],
    ['a member that nobody knows', make({ token: 't', tokens: 'u' })],
    ['a proxy of the kind SOCKS', make({ token: 't' }, { 'proxy-url': 'socks5://x' })],
    ['no server', make({ token: 't' }, { server: '' })],
    ['no URL', make({ token: 't' }, { server: 'host' })],
    ['no user', make({ token: 't' }, {}, { user: 'v' })],
    ['no context', { ...make({ token: 't' }), 'current-context': 'y' }],
    ['lists of another form', { ...make({ token: 't' }), clusters: {} }],
    ['no object', 'text'],
  ])('leaves one with %s to a whole client', ([, raw]) => {
    expect(readPlainKubeconfig(raw, '/etc/kubeconfig')).toBeUndefined();
  });

  it('reads data before files, and files each time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plain-kubeconfig-'));
    try {
      await writeFile(join(folder, 'ca'), 'the authority');
      await writeFile(join(folder, 'token'), 'one\n');
      const user = {
        tokenFile: 'token',
        token: 'unused',
        'client-key-data': 'a2V5',
        'client-key': '/nowhere',
        exec: null,
      };
      const cluster = { 'certificate-authority': 'ca', 'tls-server-name': 'n', 'proxy-url': 'http://proxy:1' };
      const plain = readPlainKubeconfig(make(user, cluster), join(folder, 'kubeconfig'));
      expect(plain).toMatchObject({ server: 'https://host:6443', proxyUrl: 'http://proxy:1' });
      expect(await plain?.derive()).toEqual({
        tls: { ca: Buffer.from('the authority'), key: Buffer.from('key'), servername: 'n' },
        headers: { authorization: 'Bearer one' },
      });
      await writeFile(join(folder, 'token'), 'two');
      expect((await plain?.derive())?.headers).toEqual({ authorization: 'Bearer two' });
      await rm(join(folder, 'ca'));
      await expect(plain?.derive()).rejects.toThrow('ENOENT');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it.for([
    [{ 'insecure-skip-tls-verify': true }, { rejectUnauthorized: false }],
    [{ server: 'http://127.0.0.1:8001' }, { rejectUnauthorized: false }],
    [{ 'insecure-skip-tls-verify': false }, {}],
  ])('with %j has %j', async ([cluster, tls]) => {
    expect((await readPlainKubeconfig(make({}, cluster), '/k')?.derive())?.tls).toEqual(tls);
  });
});
