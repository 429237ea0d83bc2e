import { makeCertificate } from '../../../platform/certificates/make-certificate.ts';
import type { CertificateStep } from '../../../platform/certificates/certificate-facts.ts';
import { joinCertificates } from '../../../platform/certificates/read-certificate.ts';
import { encodeSecretData, encodeServingData } from '../../../platform/certificates/serving-secret.ts';
import type { StoredCertificates } from './gather-certificates.ts';
import { makeAuthority, maxCommonName, writeAuthorities, writeSecret } from './write-certificate-secret.ts';
import type { CertificateWriter } from './write-certificate-secret.ts';

/** Carries out one step of the plan that was made from `stored`. Throws AlreadyExists or Conflict when what was read is no longer so. */
export async function applyCertificateStep(
  writer: CertificateWriter,
  stored: StoredCertificates,
  step: CertificateStep,
): Promise<void> {
  if (step.action === 'introduce-authority') {
    const made = await makeAuthority(writer.names.authority, step.validity);
    await writeAuthorities(writer, writer.names.authority, stored.authoritySecret, [...step.keep, made], true);
    return;
  }
  if (step.action === 'write-authorities') {
    await writeAuthorities(writer, writer.names.authority, stored.authoritySecret, step.authorities, false);
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
