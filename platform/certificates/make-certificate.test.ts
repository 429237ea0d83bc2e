import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { certifyKey, makeCertificate } from './make-certificate.ts';
import { provideReflectMetadata } from './reflect-metadata.ts';

const period = { notBeforeMillis: Date.UTC(2026, 0, 1), notAfterMillis: Date.UTC(2066, 0, 1, 1, 2, 3) };
const subjectNames = ['web.team.svc', '10.0.0.1', 'fd00::1'];
const authorityRequest = { commonName: 'authority ä', organizations: ['one', 'two'], purpose: 'authority' } as const;

/** What a library that is not ours reads in an extension. */
async function readExtensions(certificate: string): Promise<Record<string, unknown>> {
  provideReflectMetadata();
  const x509 = await import('@peculiar/x509');
  const read = new x509.X509Certificate(certificate);
  return {
    constraints: read.getExtension(x509.BasicConstraintsExtension)?.ca,
    usages: read.getExtension(x509.KeyUsagesExtension)?.usages,
    extendedUsages: read.getExtension(x509.ExtendedKeyUsageExtension)?.usages,
    critical: read.extensions.filter(({ critical }) => critical).map(({ type }) => type),
    key: read.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId,
    authorityKey: read.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId,
    keyItself: Buffer.from(await read.publicKey.getKeyIdentifier()).toString('hex'),
  };
}

describe('makeCertificate', () => {
  it('makes an authority that vouches for itself', async () => {
    const { certificate, privateKey } = await makeCertificate({ ...authorityRequest, ...period });
    const read = new X509Certificate(certificate);
    expect([read.subject, read.issuer]).toEqual(Array(2).fill('O=one\nO=two\nCN=authority ä'));
    expect([read.ca, read.verify(read.publicKey), read.checkIssued(read)]).toEqual([true, true, true]);
    expect(read.publicKey.equals(createPublicKey(privateKey))).toBe(true);
    expect([read.validFrom, read.validTo]).toEqual(['Jan  1 00:00:00 2026 GMT', 'Jan  1 01:02:03 2066 GMT']);
    const extensions = await readExtensions(certificate);
    expect(extensions).toMatchObject({ constraints: true, usages: 0x60, critical: ['2.5.29.19', '2.5.29.15'] });
    expect(extensions['extendedUsages']).toBeUndefined();
    expect([extensions['key'], extensions['authorityKey']]).toEqual(Array(2).fill(extensions['keyItself']));
  });

  it.for([
    ['server', '1.3.6.1.5.5.7.3.1'],
    ['client', '1.3.6.1.5.5.7.3.2'],
  ] as const)('makes a certificate of a %s that its authority vouches for', async ([purpose, usage]) => {
    const authority = await makeCertificate({ ...authorityRequest, ...period });
    const request = { commonName: 'web', organizations: ['team'], purpose, subjectNames, ...period };
    const made = await makeCertificate(request, authority);
    const [read, issuer] = [made, authority].map(({ certificate }) => new X509Certificate(certificate));
    expect([read?.subject, read?.issuer]).toEqual(['O=team\nCN=web', issuer?.subject]);
    expect(read?.subjectAltName).toBe('DNS:web.team.svc, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1');
    expect(issuer !== undefined && read?.checkIssued(issuer) && read.verify(issuer.publicKey)).toBe(true);
    const extensions = await readExtensions(made.certificate);
    expect(extensions).toMatchObject({ constraints: false, usages: 1, extendedUsages: [usage] });
    expect(extensions['key']).toBe(extensions['keyItself']);
    expect(extensions['authorityKey']).toBe((await readExtensions(authority.certificate))['key']);
  });

  it('makes no two of one serial, and none with names that were not asked for', async () => {
    const made = await Promise.all(
      [1, 2].map(() => makeCertificate({ commonName: 'one', purpose: 'client', ...period })),
    );
    const read = made.map(({ certificate }) => new X509Certificate(certificate));
    expect(new Set(read.map(({ serialNumber }) => serialNumber)).size).toBe(2);
    expect(read.map(({ subjectAltName }) => subjectAltName)).toEqual([undefined, undefined]);
  });
});

describe('certifyKey', () => {
  it.for(['rsa', 'ec'] as const)('certifies a key that somebody else has, of type %s', async (type) => {
    const { publicKey } =
      type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const authority = await makeCertificate({ ...authorityRequest, ...period });
    const request = { commonName: 'node', purpose: 'server', subjectNames, ...period } as const;
    const pem = await certifyKey(request, publicKey.export({ type: 'spki', format: 'pem' }) as string, authority);
    const read = new X509Certificate(pem);
    expect(read.publicKey.equals(publicKey)).toBe(true);
    expect(read.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    const extensions = await readExtensions(pem);
    expect(extensions['key']).toBe(extensions['keyItself']);
  });
});
