import { X509Certificate } from 'node:crypto';

import { formatDate } from '../../../core/time/format-date.ts';
import { encodeAuthorityData } from '../../../platform/certificates/authority-secret.ts';
import type { Authority, ValidityPeriod } from '../../../platform/certificates/certificate-facts.ts';
import { makeCertificate } from '../../../platform/certificates/make-certificate.ts';
import { secretsResource } from '../../../platform/certificates/serving-secret.ts';
import type { SecretObject } from '../../../platform/certificates/serving-secret.ts';
import type { ReleaseNames } from '../../../platform/release/release-names.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';

/** Where Secrets are written, and what they are labelled with. */
export interface CertificateWriter {
  readonly client: ResourceClient;
  readonly names: ReleaseNames;
  readonly namespace: string;
  readonly release: string;
  readonly domain: string;
}

const fieldManager = 'bailiwick-certificates';
/** How long X.509 allows a common name to be. */
export const maxCommonName = 64;

/** Annotation of the authority's Secret that asks for a rotation by any new value. */
function nameRotateAnnotation(domain: string): string {
  return `${domain}/rotate`;
}

/** Annotation with the value that the last rotation was asked for with. */
function nameRotatedAnnotation(domain: string): string {
  return `${domain}/rotated`;
}

/** Creates the Secret, or replaces the content of `stored` unless somebody else changed it. Throws AlreadyExists or Conflict when somebody did. */
export async function writeSecret(
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

/** Whether the annotations of an authority's Secret ask for a rotation that has not been begun. */
export function isRotationAsked(secret: SecretObject | undefined, domain: string): boolean {
  const annotations = secret?.metadata.annotations ?? {};
  const asked = annotations[nameRotateAnnotation(domain)];
  return asked !== undefined && asked !== annotations[nameRotatedAnnotation(domain)];
}

/** Writes the authorities of a Secret, from the oldest to the newest; `hasRotated`: what was asked for is done by it. Throws as `writeSecret`. */
export async function writeAuthorities(
  writer: CertificateWriter,
  name: string,
  stored: SecretObject | undefined,
  authorities: readonly Authority[],
  hasRotated: boolean,
): Promise<void> {
  const { domain } = writer;
  const asked = stored?.metadata.annotations?.[nameRotateAnnotation(domain)];
  await writeSecret(writer, stored, {
    name,
    type: 'Opaque',
    data: encodeAuthorityData(authorities),
    ...(hasRotated && asked !== undefined ? { annotations: { [nameRotatedAnnotation(domain)]: asked } } : {}),
  });
}

/** Makes an authority for the Secret of that name. */
export async function makeAuthority(name: string, validity: ValidityPeriod): Promise<Authority> {
  // Each has a subject of its own, so that nobody takes one for the other.
  const time = formatDate(validity.notAfterMillis);
  const commonName = `${name.slice(0, maxCommonName - time.length - 1)} ${time}`;
  const made = await makeCertificate({ commonName, purpose: 'authority', ...validity });
  return { certificate: new X509Certificate(made.certificate), privateKey: made.privateKey };
}
