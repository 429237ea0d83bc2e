import { beforeAll, describe, expect, it } from 'vitest';

import type { ServingCertificate } from './certificate-source.ts';
import { makeCertificate } from './make-certificate.ts';
import type { KeyedCertificate } from './make-certificate.ts';
import { planAdoption } from './plan-adoption.ts';
import { holdsSameCertificates } from './read-certificate.ts';

const hourMillis = 3_600_000;
const nowMillis = Date.UTC(2026, 0, 1);
const holdMillis = 30_000;
const period = { notBeforeMillis: nowMillis - hourMillis, notAfterMillis: nowMillis + hourMillis };

describe('planAdoption', () => {
  let old: KeyedCertificate;
  let next: KeyedCertificate;

  beforeAll(async () => {
    [old, next] = (await Promise.all(
      ['old', 'next'].map((commonName) => makeCertificate({ commonName, purpose: 'authority', ...period })),
    )) as [KeyedCertificate, KeyedCertificate];
  });

  async function issue(signer: KeyedCertificate, bundle: string, lifeMillis = hourMillis): Promise<ServingCertificate> {
    const notAfterMillis = nowMillis + lifeMillis;
    const made = await makeCertificate({ commonName: 'a', purpose: 'server', ...period, notAfterMillis }, signer);
    return { ...made, bundle, serialNumber: '', notAfterMillis };
  }

  it('serves the first certificate at once', async () => {
    const offered = await issue(old, old.certificate);
    const plan = planAdoption({ current: undefined, offered, nowMillis, holdMillis });
    expect(plan).toEqual({ adoptAtMillis: nowMillis, bundle: old.certificate });
  });

  it('serves at once what callers trust already', async () => {
    const current = await issue(old, old.certificate + next.certificate);
    const offered = await issue(next, next.certificate);
    const plan = planAdoption({ current, offered, nowMillis, holdMillis });
    expect(plan).toEqual({ adoptAtMillis: nowMillis, bundle: next.certificate });
  });

  it('lets callers learn of a new authority first, and keeps the old one', async () => {
    const current = await issue(old, old.certificate);
    const offered = await issue(next, next.certificate);
    const plan = planAdoption({ current, offered, nowMillis, holdMillis });
    expect(plan.adoptAtMillis).toBe(nowMillis + holdMillis);
    expect(holdsSameCertificates(plan.bundle, old.certificate + next.certificate)).toBe(true);
  });

  it.for<[string, number, number]>([
    ['ends soon', 10_000, 5_000],
    ['has ended', -10_000, 0],
  ])('waits less for one whose current certificate %s', async ([, lifeMillis, waitMillis]) => {
    const current = await issue(old, old.certificate, lifeMillis);
    const offered = await issue(next, next.certificate);
    expect(planAdoption({ current, offered, nowMillis, holdMillis }).adoptAtMillis).toBe(nowMillis + waitMillis);
  });
});
