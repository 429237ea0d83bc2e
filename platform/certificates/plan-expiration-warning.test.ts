import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { makeCertificate } from './make-certificate.ts';
import { planExpirationWarning } from './plan-expiration-warning.ts';
import { backdateMillis } from './plan-certificates.ts';

const dayMillis = 86_400_000;
const startMillis = Date.UTC(2026, 0, 1);

describe('planExpirationWarning', () => {
  it.for<[number, string | undefined]>([
    [0, undefined],
    [61, undefined],
    [74, undefined],
    [
      76,
      'the certificate ends at 2026-04-01T00:00:00.000Z and has not been renewed; requests will be refused from then on',
    ],
    [91, 'the certificate ended at 2026-04-01T00:00:00.000Z and has not been renewed; clients refuse it'],
  ])('after %i of 90 days', async ([days, message]) => {
    const made = await makeCertificate({
      commonName: 'webhooks',
      purpose: 'server',
      notBeforeMillis: startMillis - backdateMillis,
      notAfterMillis: startMillis + 90 * dayMillis,
    });
    const warning = planExpirationWarning(new X509Certificate(made.certificate), startMillis + days * dayMillis);
    expect(warning?.message).toBe(message);
  });
});
