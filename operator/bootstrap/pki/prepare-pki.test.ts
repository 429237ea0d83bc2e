import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../platform/certificates/make-certificate.ts';
import { prepareServiceAccountKey, preparePki } from './prepare-pki.ts';
import type { Pki } from './prepare-pki.ts';

const dayMillis = 86_400_000;
const nowMillis = Date.now();
const subjectNames = ['localhost', '127.0.0.1', '::1', 'kubernetes.default.svc'];

let directory: string;

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'pki-')), 'pki');
});

afterEach(async () => {
  await rm(join(directory, '..'), { recursive: true, force: true });
});

/** Does a handshake on the loopback; the server's view of the client's certificate. */
async function shakeHands(
  pki: Pki,
  client: { certificate: string; privateKey: string },
): Promise<{ authorized: boolean; subject: PeerCertificate['subject'] }> {
  const server = createServer({
    cert: pki.serving.certificate,
    key: pki.serving.privateKey,
    ca: pki.authority,
    requestCert: true,
    rejectUnauthorized: false,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const seen = new Promise<TLSSocket>((resolve) => server.once('secureConnection', resolve));
  const socket = connect({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    ca: pki.authority,
    cert: client.certificate,
    key: client.privateKey,
  });
  try {
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    const peer = await seen;
    const answer = { authorized: peer.authorized, subject: peer.getPeerCertificate().subject };
    peer.destroy();
    return answer;
  } finally {
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('preparePki', () => {
  it('makes files that only their owner reads', async () => {
    await preparePki({ directory, subjectNames, nowMillis });
    await prepareServiceAccountKey(directory);
    for (const name of ['ca.key', 'serving.key', 'administrator.key', 'service-account.key', 'ca.crt']) {
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('makes a serving certificate that clients trust and an administrator that the server trusts', async () => {
    const pki = await preparePki({ directory, subjectNames, nowMillis });
    const { authorized, subject } = await shakeHands(pki, pki.administrator);
    expect(authorized).toBe(true);
    expect(subject).toMatchObject({ CN: 'bailiwick:administrator', O: 'system:masters' });
  });

  it('names every subject', async () => {
    const pki = await preparePki({ directory, subjectNames, nowMillis });
    const names = new X509Certificate(pki.serving.certificate).subjectAltName;
    expect(names).toBe('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:kubernetes.default.svc');
  });

  it('keeps what it made', async () => {
    const first = await preparePki({ directory, subjectNames, nowMillis });
    expect(await preparePki({ directory, subjectNames, nowMillis: nowMillis + dayMillis })).toEqual(first);
  });

  it('does not trust a client certificate of another authority', async () => {
    const pki = await preparePki({ directory, subjectNames, nowMillis });
    const period = { notBeforeMillis: nowMillis - dayMillis, notAfterMillis: nowMillis + dayMillis };
    const other = await makeCertificate({ commonName: 'bailiwick-ca', purpose: 'authority', ...period });
    const forged = await makeCertificate(
      { commonName: 'eve', organizations: ['system:masters'], purpose: 'client', ...period },
      other,
    );
    expect((await shakeHands(pki, forged)).authorized).toBe(false);
  });

  it('does not take the serving certificate for a client', async () => {
    const pki = await preparePki({ directory, subjectNames, nowMillis });
    expect((await shakeHands(pki, pki.serving)).authorized).toBe(false);
  });

  it.for<[string, (directory: string) => Promise<{ subjectNames?: string[]; nowMillis?: number }>, (keyof Pki)[]]>([
    ['a new name', async () => ({ subjectNames: [...subjectNames, '10.0.0.1'] }), ['serving']],
    ['a near end', async () => ({ nowMillis: nowMillis + 310 * dayMillis }), ['serving', 'administrator']],
    [
      'a damaged certificate',
      async (folder) => {
        await writeFile(join(folder, 'serving.crt'), 'damaged');
        return {};
      },
      ['serving'],
    ],
    [
      'a key of another certificate',
      async (folder) => {
        await writeFile(join(folder, 'administrator.key'), await readFile(join(folder, 'serving.key')));
        return {};
      },
      ['administrator'],
    ],
    [
      'a lost authority',
      async (folder) => {
        await rm(join(folder, 'ca.key'));
        return {};
      },
      ['authority', 'serving', 'administrator'],
    ],
  ])('after %s renews what it must', async ([, disturb, renewed]) => {
    const first = await preparePki({ directory, subjectNames, nowMillis });
    const second = await preparePki({ directory, subjectNames, nowMillis, ...(await disturb(directory)) });
    const changed = (Object.keys(first) as (keyof Pki)[]).filter(
      (part) => JSON.stringify(first[part]) !== JSON.stringify(second[part]),
    );
    expect(changed.toSorted()).toEqual(renewed.toSorted());
  });
});
