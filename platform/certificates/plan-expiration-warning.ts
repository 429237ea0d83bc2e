import type { X509Certificate } from 'node:crypto';

import { formatDate } from '../../core/time/format-date.ts';
import { findRenewalMillis } from './plan-certificates.ts';

/** Part of the time between the due renewal and the end that is left when a certificate is warned of. */
const warningFraction = 1 / 2;

/** Why somebody should look at a certificate. */
export interface ExpirationWarning {
  readonly notAfterMillis: number;
  readonly message: string;
}

/** A warning when a certificate should have been renewed long since; `undefined` while all is well. */
export function planExpirationWarning(certificate: X509Certificate, nowMillis: number): ExpirationWarning | undefined {
  const notAfterMillis = certificate.validToDate.getTime();
  const leftMillis = notAfterMillis - nowMillis;
  if (leftMillis > (notAfterMillis - findRenewalMillis(certificate)) * warningFraction) return undefined;
  const time = formatDate(notAfterMillis);
  const message =
    leftMillis > 0
      ? `the certificate ends at ${time} and has not been renewed; requests will be refused from then on`
      : `the certificate ended at ${time} and has not been renewed; clients refuse it`;
  return { notAfterMillis, message };
}
