import { createServer } from 'node:tls';
import type { Server } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';

import type { CertificateSource, ServingCertificate } from './certificate-source.ts';
import { checkServedCertificate, fetchServedCertificate } from './check-served-certificate.ts';
import { makeCertificate } from './make-certificate.ts';
import type { KeyedCertificate } from './make-certificate.ts';
import { serveCertificate } from './serve-certificate.ts';
import { encodeServingData, readServingSecret } from './serving-secret.ts';

const serverName = 'webhooks.system.svc';
const period = { notBeforeMillis: Date.now() - 60_000, notAfterMillis: Date.now() + 3_600_000 };
let count = 0;

function makeAuthority(): Promise<KeyedCertificate> {
  return makeCertificate({ commonName: `authority ${(count += 1)}`, purpose: 'authority', ...period });
}

async function makeServing(
  authority: KeyedCertificate,
  bundle: string,
  changes: { subjectNames?: string[]; notAfterMillis?: number } = {},
): Promise<ServingCertificate> {
  const request = { commonName: 'webhooks', purpose: 'server', subjectNames: [serverName], ...period, ...changes };
  const made = await makeCertificate({ ...request, purpose: 'server' }, authority);
  return { ...made, bundle, serialNumber: '', notAfterMillis: period.notAfterMillis };
}

/** A source whose certificate is set by hand. */
class HandSource implements CertificateSource {
  #current: ServingCertificate | undefined;
  readonly #listeners = new Set<(certificate: ServingCertificate) => void>();

  current(): ServingCertificate | undefined {
    return this.#current;
  }

  subscribe(listener: (certificate: ServingCertificate) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  set(certificate: ServingCertificate): void {
    this.#current = certificate;
    for (const listener of this.#listeners) listener(certificate);
  }
}

let server: Server | undefined;

afterEach(() => {
  server?.close();
});

async function listen(): Promise<number> {
  server = createServer();
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('serveCertificate', () => {
  it('serves each certificate of the source to new connections until it is stopped', async () => {
    const source = new HandSource();
    const port = await listen();
    const [first, second] = [await makeAuthority(), await makeAuthority()];
    source.set(await makeServing(first, first.certificate));
    const stop = serveCertificate(server as Server, source);
    const check = (bundle: string): Promise<string | undefined> =>
      checkServedCertificate({ port, serverName, bundle, timeoutMillis: 20_000 });
    expect(await check(first.certificate)).toBeUndefined();
    source.set(await makeServing(second, second.certificate));
    expect(await check(second.certificate)).toBeUndefined();
    expect(await check(first.certificate + second.certificate)).toBeUndefined();
    expect(await check(first.certificate)).toMatch(/unable to (get|verify)|signature/);
    stop();
    source.set(await makeServing(first, first.certificate));
    expect(await check(second.certificate)).toBeUndefined();
    const shown = await fetchServedCertificate({ port, serverName, timeoutMillis: 20_000 });
    expect(shown.subject).toBe('CN=webhooks');
  });

  it('tells a certificate for another name', async () => {
    const source = new HandSource();
    const port = await listen();
    const authority = await makeAuthority();
    source.set(await makeServing(authority, authority.certificate, { subjectNames: ['other.system.svc'] }));
    serveCertificate(server as Server, source);
    const fault = await checkServedCertificate({
      port,
      serverName,
      bundle: authority.certificate,
      timeoutMillis: 20_000,
    });
    expect(fault).toMatch(/altnames/);
  });

  it('tells a server that does not answer', async () => {
    const silent = createTcpServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const { certificate: bundle } = await makeAuthority();
    expect(await checkServedCertificate({ port, serverName, bundle, timeoutMillis: 50 })).toMatch(/too long/);
    await new Promise((resolve) => silent.close(resolve));
    expect(await checkServedCertificate({ port, serverName, bundle })).toMatch(/ECONNREFUSED/);
  });
});

type Change = (data: Record<string, string>) => Promise<Record<string, string>> | Record<string, string>;

describe('readServingSecret', () => {
  it.for<[string, string, Change]>([
    ['nothing', 'tls.crt holds no certificate', () => ({})],
    [
      'garbage',
      'cannot be read',
      (data) => ({
        ...data,
        'tls.crt': Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----').toString('base64'),
      }),
    ],
    ['a text that is no PEM', 'tls.crt holds no certificate', (data) => ({ ...data, 'tls.crt': 'Z2FyYmFnZQ==' })],
    ['no key', 'tls.key is not the key', ({ 'tls.key': _key, ...data }) => data],
    [
      'another key',
      'tls.key is not the key',
      async (data) => ({
        ...data,
        'tls.key': encodeServingData({ ...(await makeAuthority()), bundle: '' })['tls.key'] ?? '',
      }),
    ],
    ['no authority', 'ca.crt holds no certificate', ({ 'ca.crt': _bundle, ...data }) => data],
    [
      'another authority',
      'does not lead to an authority',
      async (data) => ({
        ...data,
        'ca.crt': encodeServingData({ ...(await makeAuthority()), bundle: '' })['tls.crt'] ?? '',
      }),
    ],
  ])('refuses a Secret with %s', async ([, fault, change]) => {
    const authority = await makeAuthority();
    const data = await change(encodeServingData(await makeServing(authority, authority.certificate)));
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: {}, data };
    expect(readServingSecret(secret, Date.now())).toMatchObject({ fault: expect.stringContaining(fault) });
  });

  it('refuses one that has ended, and reads one that is good', async () => {
    const authority = await makeAuthority();
    const serving = await makeServing(authority, authority.certificate);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: {}, data: encodeServingData(serving) };
    expect(readServingSecret(secret, period.notAfterMillis)).toMatchObject({
      fault: expect.stringContaining('not valid'),
    });
    expect(readServingSecret(secret, Date.now())).toMatchObject({
      serving: { certificate: serving.certificate, serialNumber: expect.stringMatching(/^[0-9A-F]+$/) },
    });
  });
});
