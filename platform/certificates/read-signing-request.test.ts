import { execFile } from 'node:child_process';
import { X509Certificate, createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, connect } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { certifyKey, makeCertificate, makeServerRequest } from './make-certificate.ts';
import { readSigningRequest } from './read-signing-request.ts';

const run = promisify(execFile);
const hourMillis = 3_600_000;
const longName = `${'n'.repeat(60)}.${'o'.repeat(60)}.${'p'.repeat(60)}.${'q'.repeat(60)}`;

async function ask(...words: string[]): Promise<string> {
  const { stdout, stderr } = await run('openssl', words);
  return stdout + stderr;
}

async function withFile<T>(text: string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'request-'));
  try {
    const file = join(folder, 'text.pem');
    await writeFile(file, text);
    return await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('a request for a server certificate', () => {
  const names = ['node-1', '10.0.0.7', 'fd00::1', longName];

  it.for([
    ['a short name', 'system:agent:node-1'],
    ['a name beyond what one length byte holds', `system:agent:${longName}`],
    ['a name beyond ASCII', 'system:agent:knoten-ä, O=team'],
  ] as const)('says to others what it was written for: %s', async ([, commonName]) => {
    const { request, privateKey } = await makeServerRequest({ commonName, subjectNames: names });
    expect(await readSigningRequest(request)).toEqual({
      commonName,
      otherSubjects: [],
      dnsNames: ['node-1', longName],
      ipAddresses: ['10.0.0.7', 'fd00::1'],
      otherNames: [],
      publicKey: createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'pem' }),
    });
  });

  it('is well formed for OpenSSL, and signed by its key', async () => {
    const { request } = await makeServerRequest({ commonName: 'system:agent:node-1', subjectNames: names });
    const text = await withFile(request, (file) => ask('req', '-in', file, '-verify', '-noout', '-text'));
    expect(text).toMatch(/verify OK/i);
    expect(text).toContain('CN = system:agent:node-1');
    expect(text).toContain('DNS:node-1, IP Address:10.0.0.7, IP Address:FD00:0:0:0:0:0:0:1');
  });

  it('is not believed when somebody else signed it', async () => {
    const { request } = await makeServerRequest({ commonName: 'a', subjectNames: ['a'] });
    const der = Buffer.from(request.replaceAll(/-----[^-]+-----|\n/g, ''), 'base64');
    der[20] = (der[20] ?? 0) ^ 1;
    const changed = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(await readSigningRequest(changed)).toBeUndefined();
  });

  it.for([
    ['nothing', ''],
    ['no PEM', 'hello'],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
    ['sequences within sequences', toPem(Buffer.alloc(20_000, 0x30))],
    ['too much', toPem(Buffer.alloc(60_000))],
  ] as const)('cannot be read from %s', async ([, text]) => {
    expect(await readSigningRequest(text)).toBeUndefined();
  });

  it.for([
    ['rsa:1024', false],
    ['rsa:2048', true],
    ['ed25519', false],
  ] as const)('has a key of a sort that is signed: %s', async ([algorithm, isSigned]) => {
    const pem = await withFile('', async (file) =>
      ask('req', '-new', '-newkey', algorithm, '-nodes', '-keyout', file, '-subj', '/O=team/CN=a'),
    );
    const text = pem.slice(pem.indexOf('-----BEGIN CERTIFICATE REQUEST'));
    const facts = await readSigningRequest(text);
    expect(facts).toMatchObject({ commonName: 'a', otherSubjects: ['O=team'], dnsNames: [] });
    expect(facts?.publicKey !== undefined).toBe(isSigned);
  });

  it('is signed into a certificate of its key', async () => {
    const validity = { notBeforeMillis: Date.now() - hourMillis, notAfterMillis: Date.now() + hourMillis };
    const authority = await makeCertificate({ commonName: 'authority', purpose: 'authority', ...validity });
    const { request, privateKey } = await makeServerRequest({ commonName: 'a', subjectNames: names });
    const { publicKey = '' } = (await readSigningRequest(request)) ?? {};
    const pem = await certifyKey(
      { commonName: 'a', purpose: 'server', subjectNames: names, ...validity },
      publicKey,
      authority,
    );
    const certificate = new X509Certificate(pem);
    expect(certificate.checkPrivateKey(createPrivateKey(privateKey))).toBe(true);
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect(certificate.checkHost('node-1')).toBe('node-1');
  });
});

function toPem(der: Buffer): string {
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}

describe('a self-signed certificate', () => {
  const subject = { commonName: 'system:agent:node-1', subjectNames: ['node-1', '127.0.0.1'] };

  it.for([
    ['this century', Date.UTC(2026, 0, 2, 3, 4, 5), Date.UTC(2027, 0, 2, 3, 4, 5)],
    ['beyond two digits of a year', Date.UTC(2049, 11, 31), Date.UTC(2050, 0, 1)],
  ] as const)('has the times it was written for: %s', async ([, notBeforeMillis, notAfterMillis]) => {
    const { certificate, privateKey } = await makeCertificate({
      ...subject,
      purpose: 'server',
      notBeforeMillis,
      notAfterMillis,
    });
    const read = new X509Certificate(certificate);
    expect(read.validFromDate.getTime()).toBe(notBeforeMillis);
    expect(read.validToDate.getTime()).toBe(notAfterMillis);
    expect(read.checkPrivateKey(createPrivateKey(privateKey))).toBe(true);
    expect(read.verify(read.publicKey)).toBe(true);
    expect(read.ca).toBe(false);
    expect(read.subjectAltName).toBe('DNS:node-1, IP Address:127.0.0.1');
  });

  it('is trusted by whoever has it as a root, and by nobody else', async () => {
    const validity = { notBeforeMillis: Date.now() - hourMillis, notAfterMillis: Date.now() + hourMillis };
    const [own, other] = await Promise.all([
      makeCertificate({ ...subject, purpose: 'server', ...validity }),
      makeCertificate({ ...subject, purpose: 'server', ...validity }),
    ]);
    const server = createServer({ cert: own.certificate, key: own.privateKey }, (socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const shake = (ca: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect({ host: '127.0.0.1', port, servername: 'node-1', ca });
        socket.once('secureConnect', () => resolve('trusted'));
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
        socket.on('error', () => undefined);
      });
    try {
      expect(await shake(own.certificate)).toBe('trusted');
      expect(await shake(other.certificate)).not.toBe('trusted');
    } finally {
      server.close();
    }
  });
});
