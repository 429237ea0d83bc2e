import type { X509Certificate } from 'node:crypto';

import { beforeAll, describe, expect, it } from 'vitest';

import type { CallerTrust } from './caller-trust.ts';
import { makeCertificate } from './make-certificate.ts';
import type { KeyedCertificate } from './make-certificate.ts';
import { findCommonAuthorities, planAdoption } from './plan-adoption.ts';
import { readCertificates } from './read-certificate.ts';

const hourMillis = 3_600_000;
const nowMillis = Date.UTC(2026, 0, 1);
const settleMillis = 3_000;
const period = { notBeforeMillis: nowMillis - hourMillis, notAfterMillis: nowMillis + 2 * hourMillis };

describe('planAdoption', () => {
  let old: KeyedCertificate;
  let next: KeyedCertificate;
  const certificates: string[] = [];

  beforeAll(async () => {
    old = await makeCertificate({ commonName: 'old', purpose: 'authority', ...period });
    next = await makeCertificate({ commonName: 'next', purpose: 'authority', ...period });
    for (const authority of [old, next]) {
      const made = await makeCertificate({ commonName: 'a', purpose: 'server', ...period }, authority);
      certificates.push(made.certificate);
    }
  });

  /** Trust in bundles of `old` and `next`, of which the newest is trusted since a time. */
  function trust(bundles: readonly (readonly ('old' | 'next')[])[], sinceMillis: number): CallerTrust {
    const [first, second] = [old, next].map(({ certificate }) => readCertificates(certificate)[0] as X509Certificate);
    const found = bundles.map((bundle) => bundle.flatMap((name) => (name === 'old' ? first : second) ?? []));
    const since = findCommonAuthorities(found).map((one) => [one.fingerprint256, sinceMillis] as const);
    return { bundles: found, trustedSinceMillis: new Map(since) };
  }

  type Row = [string, () => CallerTrust | undefined, number, number?];
  const both = ['old', 'next'] as const;

  it.for<Row>([
    ['at once where nobody calls', () => trust([], 0), 0],
    ['at once where callers trust it for long', () => trust([both, both], nowMillis - hourMillis), 0],
    ['at once where callers trusted it from the beginning', () => trust([both], Number.NEGATIVE_INFINITY), 0],
    ['a little later where callers just learned of it', () => trust([both], nowMillis - 1_000), 2_000],
    ['at last where no caller trusts it', () => trust([['old']], 0), hourMillis - 5_000],
    ['at last where one caller does not trust it', () => trust([both, ['old']], 0), hourMillis - 5_000],
    ['at last where nothing is known', () => undefined, hourMillis - 5_000],
    ['at once where callers only trust it', () => trust([['next']], nowMillis), 0],
    ['at once where the one in use has ended', () => trust([['old']], 0), 0, -1_000],
    ['before the one in use ends', () => trust([both], nowMillis), 1_000, 6_000],
  ])('serves it %s', ([, callers, waitMillis, leftMillis = hourMillis]) => {
    const [certificate = '', other = ''] = certificates;
    const current = { certificate, notAfterMillis: nowMillis + leftMillis };
    const facts = { current, offered: { certificate: other }, callers: callers(), nowMillis, settleMillis };
    expect(planAdoption(facts)).toBe(nowMillis + waitMillis);
  });

  it('serves the first certificate at once', () => {
    const [certificate = ''] = certificates;
    const facts = {
      current: undefined,
      offered: { certificate },
      callers: trust([['next']], 0),
      nowMillis,
      settleMillis,
    };
    expect(planAdoption(facts)).toBe(nowMillis);
  });
});
