import { X509Certificate } from 'node:crypto';

import { encodeAuthorityData } from '../../../platform/certificates/authority-secret.ts';
import type { Authority, CertificateStep } from '../../../platform/certificates/certificate-facts.ts';
import { makeCertificate } from '../../../platform/certificates/make-certificate.ts';
import { joinCertificates } from '../../../platform/certificates/read-certificate.ts';
import { encodeSecretData, encodeServingData, secretsResource } from '../../../platform/certificates/serving-secret.ts';
import type { SecretObject } from '../../../platform/certificates/serving-secret.ts';
import type { ReleaseNames } from '../../../platform/release/release-names.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import type { StoredCertificates } from './gather-certificates.ts';

/** Where Secrets are written, and what they are labelled with. */
export interface CertificateWriter {
  readonly client: ResourceClient;
  readonly names: ReleaseNames;
  readonly namespace: string;
  readonly release: string;
  readonly domain: string;
}

const fieldManager = 'bailiwick-certificates';
/** What X.509 allows a common name to be long. */
const maxCommonName = 64;

/** Annotation of the authority's Secret that asks for a rotation by any new value. */
export function nameRotateAnnotation(domain: string): string {
  return `${domain}/rotate`;
}

/** Annotation with the value that the last rotation was asked for with. */
export function nameRotatedAnnotation(domain: string): string {
  return `${domain}/rotated`;
}

/** Creates the Secret, or replaces the content of `stored` unless somebody else changed it. Throws AlreadyExists or Conflict when somebody did. */
async function writeSecret(
  writer: CertificateWriter,
  stored: SecretObject | undefined,
  wanted: Pick<SecretObject, 'data' | 'type'> & {
    readonly name: string;
    readonly annotations?: Record<string, string>;
  },
): Promise<void> {
  const { client, namespace, names, release } = writer;
  const { name, annotations, data, type } = wanted;
  const labels = { 'app.kubernetes.io/managed-by': names.operator, 'app.kubernetes.io/instance': release };
  const content = { apiVersion: 'v1', kind: 'Secret', ...(data && { data }) };
  if (stored === undefined) {
    const metadata = { name, namespace, labels, ...(annotations && { annotations }) };
    const secret: SecretObject = { ...content, metadata, ...(type !== undefined && { type }) };
    await client.create({ resource: secretsResource, namespace }, secret, { fieldManager });
    return;
  }
  const metadata = {
    ...stored.metadata,
    labels: { ...stored.metadata.labels, ...labels },
    annotations: { ...stored.metadata.annotations, ...annotations },
  };
  // A Secret's type cannot be changed.
  const secret: SecretObject = { ...stored, ...content, metadata };
  await client.update({ resource: secretsResource, namespace, name }, secret, { fieldManager });
}

async function writeAuthorities(
  writer: CertificateWriter,
  stored: StoredCertificates,
  authorities: readonly Authority[],
  hasRotated: boolean,
): Promise<void> {
  const { names, domain } = writer;
  const asked = stored.authoritySecret?.metadata.annotations?.[nameRotateAnnotation(domain)];
  await writeSecret(writer, stored.authoritySecret, {
    name: names.authority,
    type: 'Opaque',
    data: encodeAuthorityData(authorities),
    ...(hasRotated && asked !== undefined ? { annotations: { [nameRotatedAnnotation(domain)]: asked } } : {}),
  });
}

async function makeAuthority(writer: CertificateWriter, validity: { notBeforeMillis: number; notAfterMillis: number }) {
  // Each has a subject of its own, so that nobody takes one for the other.
  const time = new Date(validity.notAfterMillis).toISOString();
  const commonName = `${writer.names.authority.slice(0, maxCommonName - time.length - 1)} ${time}`;
  const made = await makeCertificate({ commonName, purpose: 'authority', ...validity });
  return { certificate: new X509Certificate(made.certificate), privateKey: made.privateKey };
}

/** Carries out one step of the plan that was made from `stored`. Throws AlreadyExists or Conflict when what was read is no longer so. */
export async function applyCertificateStep(
  writer: CertificateWriter,
  stored: StoredCertificates,
  step: CertificateStep,
): Promise<void> {
  if (step.action === 'introduce-authority') {
    const made = await makeAuthority(writer, step.validity);
    await writeAuthorities(writer, stored, [...step.keep, made], true);
    return;
  }
  if (step.action === 'write-authorities') {
    await writeAuthorities(writer, stored, step.authorities, false);
    return;
  }
  const bundle = joinCertificates(step.bundle);
  const secret = stored.servingSecrets.get(step.secret);
  if (step.action === 'publish-bundle') {
    const data = { ...secret?.data, ...encodeSecretData({ 'ca.crt': bundle }) };
    await writeSecret(writer, secret, { name: step.secret, type: 'kubernetes.io/tls', data });
    return;
  }
  const { certificate, privateKey = '' } = step.signer;
  const made = await makeCertificate(
    {
      commonName: step.secret.slice(0, maxCommonName),
      purpose: 'server',
      subjectNames: step.subjectNames,
      ...step.validity,
    },
    { certificate: certificate.toString(), privateKey },
  );
  const data = { ...secret?.data, ...encodeServingData({ ...made, bundle }) };
  await writeSecret(writer, secret, { name: step.secret, type: 'kubernetes.io/tls', data });
}
