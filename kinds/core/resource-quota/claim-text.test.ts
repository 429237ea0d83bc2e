import { expect, it } from 'vitest';
import { formatClaim, parseClaim } from './claim-text.ts';

const since = 'since=2026-01-01T00:00:00.000500Z';

it.for([
  `0b1c pods count/pods=1,requests.cpu=100m ${since}`,
  `0b1c persistentvolumeclaims gold.storageclass.storage.k8s.io/requests.storage=5Gi ${since} charge= version=7`,
  `0b1c services services.nodeports=5 ${since} charge=services.nodeports=2 version=7 mixed`,
])('%s is read as it was written', (text) => {
  const claim = parseClaim(text);
  expect(claim && formatClaim(claim)).toBe(text);
});

it.for(['', 'u', `u pods pods=many ${since}`, 'u pods pods=1', ` pods pods=1 ${since}`])('%j is no claim', (text) => {
  expect(parseClaim(text)).toBeUndefined();
});
