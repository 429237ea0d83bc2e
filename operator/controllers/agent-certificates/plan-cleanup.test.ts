import { describe, expect, it } from 'vitest';
import type { SigningRequestObject } from '../../../platform/certificates/signing-request-object.ts';
import { planCleanup } from './plan-cleanup.ts';

const created = Date.UTC(2026, 0, 1);
const hour = 3_600_000;

function makeRequest(type: string | undefined, certificate = ''): SigningRequestObject {
  const lastUpdateTime = new Date(created + hour / 2).toISOString();
  return {
    ...{ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest' },
    metadata: { name: 'a', creationTimestamp: new Date(created).toISOString() },
    spec: { request: '', signerName: 'a/b' },
    status: { certificate, conditions: type === undefined ? [] : [{ type, status: 'True', lastUpdateTime }] },
  };
}

describe('a request is kept', () => {
  it.for<[string, SigningRequestObject, number]>([
    ['for a day while nobody decides', makeRequest(undefined), 24 * hour],
    ['for a day while it is approved and not signed', makeRequest('Approved'), 24 * hour],
    ['for an hour when it was issued', makeRequest('Approved', 'AA=='), 1.5 * hour],
    ['for an hour when it was denied', makeRequest('Denied'), 1.5 * hour],
    ['for an hour when it failed', makeRequest('Failed'), 1.5 * hour],
  ])('%s', ([, request, millis]) => {
    expect(planCleanup(request)).toBe(created + millis);
  });
});
