import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Authority } from '../../../platform/certificates/certificate-facts.ts';
import { makeCertificate } from '../../../platform/certificates/make-certificate.ts';
import { planAgentAuthorities } from './plan-agent-authorities.ts';

const hour = 3_600_000;
const settings = { authorityValidityMillis: 100 * hour, servingValidityMillis: 10 * hour, settleMillis: 60_000 };
const start = Date.UTC(2026, 0, 1);

async function makeAuthority(introducedMillis: number): Promise<Authority> {
  const validity = { notBeforeMillis: introducedMillis - hour, notAfterMillis: introducedMillis + 100 * hour };
  const made = await makeCertificate({ commonName: `a ${introducedMillis}`, purpose: 'authority', ...validity });
  return { certificate: new X509Certificate(made.certificate), privateKey: made.privateKey };
}

const plan = (nowMillis: number, authorities: readonly Authority[], isRotationAsked = false) =>
  planAgentAuthorities({ nowMillis, settings, authorities, isRotationAsked });

describe('the authorities of agents', () => {
  let first: Authority;
  let second: Authority;

  beforeAll(async () => {
    first = await makeAuthority(start);
    second = await makeAuthority(start + 20 * hour);
  });

  it('begin with one, which signs at once', () => {
    expect(plan(start, [])).toMatchObject({ step: { action: 'introduce', keep: [] } });
    expect(plan(start, [first])).toMatchObject({ signer: first });
    expect(plan(start, [first]).step).toBeUndefined();
  });

  it.for([
    ['was asked for', 20, true, 'a rotation was asked for'],
    ['is due after two thirds of its life', 67, false, 'the authority nears its end'],
  ] as const)('get another when that %s', ([, hours, isAsked, reason]) => {
    const { step } = plan(start + hours * hour, [first], isAsked);
    expect(step).toMatchObject({ action: 'introduce', keep: [first], reason });
    if (step?.action === 'introduce') expect(step.validity.notAfterMillis).toBe(start + (hours + 100) * hour);
  });

  it('begin with another when the key is lost, and keep trusting the old one', () => {
    const lost = { certificate: first.certificate };
    const { step, signer } = plan(start + hour, [lost]);
    expect(step).toMatchObject({ action: 'introduce', keep: [lost], reason: 'there is no authority that can sign' });
    expect(signer).toBeUndefined();
  });

  it('let the older one sign until everybody knows the newer', () => {
    const settled = start + 20 * hour + 60_000;
    expect(plan(settled - 1_000, [first, second])).toMatchObject({ signer: first, againAtMillis: settled });
    expect(plan(settled - 1, [first, second]).step).toBeUndefined();
    expect(plan(settled, [first, second])).toMatchObject({
      signer: second,
      step: { action: 'write', authorities: [{ certificate: first.certificate }, second] },
    });
  });

  it('let the older one go when nothing that it signed is valid any more', () => {
    const older = { certificate: first.certificate };
    const end = start + 30 * hour + 60_000;
    expect(plan(end - 1, [older, second]).step).toBeUndefined();
    expect(plan(end, [older, second]).step).toEqual({
      ...{ action: 'write', authorities: [second] },
      reason: 'an older authority is needed no more',
    });
  });

  it('never trust fewer than what is signed and valid, at any time of two rotations', () => {
    let authorities: readonly Authority[] = [first];
    const signed: { by: string; untilMillis: number }[] = [];
    for (let now = start; now < start + 60 * hour; now += hour / 4) {
      if (now === start + 20 * hour) authorities = [...authorities, second];
      for (let step = plan(now, authorities).step; step !== undefined; step = plan(now, authorities).step) {
        if (step.action !== 'write') throw new Error('nothing asks for another authority');
        authorities = step.authorities;
      }
      const { signer } = plan(now, authorities);
      signed.push({ by: signer?.certificate.fingerprint256 ?? '', untilMillis: now + settings.servingValidityMillis });
      const trusted = new Set(authorities.map(({ certificate }) => certificate.fingerprint256));
      const lost = signed.filter(({ by, untilMillis }) => untilMillis > now && !trusted.has(by));
      expect(lost).toEqual([]);
    }
    expect(authorities).toEqual([second]);
  });
});
