import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { certifyKey, makeCertificate } from '../../platform/certificates/make-certificate.ts';
import { readSigningRequest } from '../../platform/certificates/read-signing-request.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { createMetricsRegistry } from '../../platform/process/metrics.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { openServingCertificate } from './open-serving-certificate.ts';
import type { OpenServingCertificate, ServingCertificateOptions } from './open-serving-certificate.ts';

const dayMillis = 86_400_000;

describe('the serving certificate of an agent', () => {
  let folder: string;
  let clock: ManualClock;
  let opened: OpenServingCertificate[];

  async function open(options: Partial<ServingCertificateOptions> = {}): Promise<OpenServingCertificate> {
    const certificate = await openServingCertificate({
      configuration: { tlsCertFile: undefined, tlsPrivateKeyFile: undefined, serverTlsBootstrap: true },
      ...{ certDir: join(folder, 'pki'), nodeName: 'node-1', addresses: () => ['127.0.0.1', '127.0.0.1'] },
      ...{ domain: 'bailiwick.dev', client: undefined, clock, logger: createSilentLogger() },
      metrics: createMetricsRegistry(),
      ...options,
    });
    opened.push(certificate);
    return certificate;
  }

  const makePair = (nodeName: string) =>
    makeCertificate({
      ...{ commonName: 'a', purpose: 'server', subjectNames: [nodeName] },
      ...{ notBeforeMillis: clock.now() - dayMillis, notAfterMillis: clock.now() + dayMillis },
    });
  const pki = (file: string): string => join(folder, 'pki', file);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'serving-'));
    clock = new ManualClock(Date.UTC(2026, 0, 1));
    opened = [];
  });
  afterEach(async () => {
    for (const one of opened) one.close();
    await rm(folder, { recursive: true });
  });

  it('is made at the first start, for a year, and kept where only its owner looks', async () => {
    const { certificate, privateKey } = (await open()).current();
    const read = new X509Certificate(certificate);
    expect(read.subject).toBe('CN=system:agent:node-1');
    expect(read.subjectAltName).toBe('DNS:node-1, IP Address:127.0.0.1');
    expect(read.validToDate).toEqual(new Date(Date.UTC(2027, 0, 1)));
    expect((await stat(pki('.'))).mode & 0o777).toBe(0o700);
    expect((await stat(pki('agent.key'))).mode & 0o777).toBe(0o600);
    clock.advance(334 * dayMillis);
    expect((await open()).current()).toMatchObject({ certificate, privateKey });
  });

  it.for<[string, (folder: string) => Promise<void>]>([
    ['ends within a month', async () => clock.advance(336 * dayMillis)],
    ['lost its key', async () => rm(pki('agent.key'))],
    ['has the key of another', async () => writeFile(pki('agent.key'), (await makePair('node-1')).privateKey)],
    ['cannot be read', async () => writeFile(pki('agent.crt'), 'nothing')],
  ])('is made anew when it %s', async ([, change]) => {
    const before = (await open()).current();
    await change(folder);
    const after = (await open()).current();
    expect(after.certificate).not.toBe(before.certificate);
    expect((await open()).current().certificate).toBe(after.certificate);
  });

  it('is made anew for another node', async () => {
    const before = (await open()).current();
    const after = (await open({ nodeName: 'node-2' })).current();
    expect(new X509Certificate(after.certificate).checkHost('node-2')).toBe('node-2');
    expect(after.certificate).not.toBe(before.certificate);
  });

  it('is that of given files, and follows them once both are of one pair', async () => {
    const [tlsCertFile, tlsPrivateKeyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    const [one, two] = await Promise.all([makePair('one'), makePair('two')]);
    await writeFile(tlsCertFile, one.certificate);
    await writeFile(tlsPrivateKeyFile, one.privateKey);
    const certificates = await open({
      configuration: { tlsCertFile, tlsPrivateKeyFile, serverTlsBootstrap: true },
      everyMillis: 1_000,
    });
    const seen: string[] = [];
    certificates.subscribe(({ certificate }) => seen.push(certificate));
    expect(certificates.current().certificate).toBe(one.certificate);
    const look = async (): Promise<void> => {
      clock.advance(1_000);
      await vi.waitFor(() => expect(clock.pendingCount).toBe(1), { timeout: 20_000 });
    };
    await writeFile(tlsCertFile, two.certificate);
    await look();
    expect(certificates.current().certificate).toBe(one.certificate);
    await writeFile(tlsPrivateKeyFile, two.privateKey);
    await look();
    expect(certificates.current().certificate).toBe(two.certificate);
    expect(seen).toEqual([two.certificate]);
    await expect(readFile(pki('agent.crt'))).rejects.toThrow('ENOENT');
  });

  it.for<[string, boolean, readonly string[], number]>([
    ['is what is wanted', true, ['node-1', '127.0.0.1'], 1],
    // 5, 10, 20 … seconds apart, and then every five minutes.
    ['is not trusted by the operator', false, ['node-1', '127.0.0.1'], 17],
    ['lacks an address', true, ['node-1'], 17],
  ])('that was issued and %s is asked for ever less often', async ([, isTrusted, subjectNames, most]) => {
    const validity = { notBeforeMillis: clock.now() - dayMillis, notAfterMillis: clock.now() + 365 * dayMillis };
    const [authority, other] = await Promise.all(
      ['a', 'b'].map((commonName) => makeCertificate({ commonName, purpose: 'authority', ...validity })),
    );
    if (authority === undefined || other === undefined) throw new Error('no authorities');
    const requests: string[] = [];
    let bundleReads = 0;
    const client = {
      async create(_reference: unknown, { spec }: { spec: { request: string } }) {
        requests.push(Buffer.from(spec.request, 'base64').toString());
        return { metadata: { name: 'csr', uid: 'u' } };
      },
      async get({ resource }: { resource: { resource: string } }) {
        if (resource.resource === 'configmaps') {
          bundleReads += 1;
          return { metadata: {}, data: { 'ca.crt': (isTrusted ? authority : other).certificate } };
        }
        const { publicKey } = (await readSigningRequest(requests.at(-1) ?? '')) ?? {};
        const given = { commonName: 'system:agent:node-1', purpose: 'server', subjectNames, ...validity } as const;
        const certificate = Buffer.from(await certifyKey(given, publicKey ?? '', authority)).toString('base64');
        return { metadata: { name: 'csr', uid: 'u' }, status: { certificate } };
      },
    } as unknown as ResourceClient;
    await open({ client, addresses: () => ['127.0.0.1'], authorities: { namespace: 'system', name: 'bundle' } });
    for (const endMillis = clock.now() + 3_600_000; clock.now() < endMillis;) {
      await vi.waitFor(() => expect(clock.pendingCount).toBeGreaterThan(0), { interval: 1, timeout: 10_000 });
      clock.advance(Math.min(5_000, endMillis - clock.now()));
    }
    expect(requests.length).toBeLessThanOrEqual(most);
    expect(requests.length).toBeGreaterThanOrEqual(Math.min(most, 10));
    // Before each but the first, however long the last reading holds.
    expect(bundleReads).toBeGreaterThanOrEqual(requests.length - 1);
  });

  it.for([
    ['are absent', undefined],
    ['hold nothing', 'nothing'],
  ] as const)('keeps the agent from starting when given files %s', async ([, text]) => {
    const [tlsCertFile, tlsPrivateKeyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    if (text !== undefined) await Promise.all([tlsCertFile, tlsPrivateKeyFile].map((file) => writeFile(file, text)));
    const configuration = { tlsCertFile, tlsPrivateKeyFile, serverTlsBootstrap: false };
    await expect(open({ configuration })).rejects.toThrow(text === undefined ? 'ENOENT' : 'holds no certificate');
  });
});
