import type { X509Certificate } from 'node:crypto';

/** Part of its life that is left when a certificate that was not renewed is warned of; renewal is due at twice that. */
const warningFraction = 1 / 6;

/** Why somebody should look at a certificate. */
export interface ExpirationWarning {
  readonly notAfterMillis: number;
  readonly message: string;
}

/** A warning when a certificate should have been renewed long since; `undefined` while all is well. */
export function planExpirationWarning(certificate: X509Certificate, nowMillis: number): ExpirationWarning | undefined {
  const startMillis = certificate.validFromDate.getTime();
  const notAfterMillis = certificate.validToDate.getTime();
  const leftMillis = notAfterMillis - nowMillis;
  if (leftMillis > (notAfterMillis - startMillis) * warningFraction) return undefined;
  const time = new Date(notAfterMillis).toISOString();
  const message =
    leftMillis > 0
      ? `the certificate ends at ${time} and has not been renewed; requests will be refused from then on`
      : `the certificate ended at ${time} and has not been renewed; clients refuse it`;
  return { notAfterMillis, message };
}
