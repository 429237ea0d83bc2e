import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { claimUsageEvaluator } from '../persistent-volume-claim/plan-claim-usage.ts';
import { podUsageEvaluator } from '../pod/plan-pod-usage.ts';
import { planClaim, planRelease } from './plan-claim.ts';
import { MAX_CLAIMS, type QuotaLedgerState, readLedger, writeClaims } from './quota-claim.ts';
import { formatUsage, readUsage, writeUsage } from './usage.ts';
import type { UsageEvaluator } from './usage-evaluator.ts';

/** A claim, as the rows of this table have it. */
interface ClaimRow {
  readonly uid: string;
  readonly resource: string;
  readonly usage: Record<string, string>;
  readonly charge?: Record<string, string>;
  readonly version?: string;
  readonly mixed?: boolean;
  readonly since: string;
}

function writeRow({ uid, resource, usage, charge, version, mixed, since: time }: ClaimRow): string {
  const words = [uid, resource, formatUsage(readUsage(usage)), `since=${time}`];
  if (charge !== undefined) words.push(`charge=${formatUsage(readUsage(charge))}`);
  if (version !== undefined) words.push(`version=${version}`);
  return [...words, ...(mixed === true ? ['mixed'] : [])].join(' ');
}

const storage = claimUsageEvaluator as UsageEvaluator;
const pods = podUsageEvaluator as UsageEvaluator;
const since = '2026-01-01T00:00:00.000500Z';
const earlier = '2026-01-01T00:00:00.000100Z';
const later = '2026-01-01T00:00:59.999999Z';

function makeLedger(used: string, claims: ClaimRow[] = [], hard = '10Gi'): QuotaLedgerState {
  const status = {
    hard: { 'requests.storage': hard },
    used: { 'requests.storage': used },
    claims: claims.map(writeRow),
  };
  const metadata = { name: 'q' };
  return readLedger({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: status.hard }, status });
}

function makeStorage(amount: string, version?: string): KubeObject {
  const metadata = { name: 'c', uid: 'u', ...(version === undefined ? {} : { resourceVersion: version }) };
  const spec = { resources: { requests: { storage: amount } } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec } as KubeObject;
}

function makeClaim(usage: string, more: Partial<ClaimRow> = {}): ClaimRow {
  return {
    uid: 'u',
    resource: 'persistentvolumeclaims',
    usage: { 'requests.storage': usage },
    since: earlier,
    ...more,
  };
}

function charged(charge: string, version?: string): Partial<ClaimRow> {
  return { charge: { 'requests.storage': charge }, ...(version === undefined ? {} : { version }) };
}

interface Row {
  readonly name: string;
  readonly used: string;
  readonly claim?: ClaimRow;
  /** Amount and version of the stored object; absent: it is created. */
  readonly old?: readonly [amount: string, version: string];
  readonly asks: string;
  readonly hard?: string;
  /** Used and the claim afterwards, or the refusal; absent: nothing is claimed. */
  readonly expected?: { readonly used: string; readonly claim: ClaimRow } | { readonly refusal: string };
}

const rows: Row[] = [
  {
    name: 'a new object claims all of it',
    used: '2Gi',
    asks: '3Gi',
    expected: { used: '5Gi', claim: makeClaim('3Gi', { since }) },
  },
  {
    name: 'a new object that was claimed is not charged again',
    ...{ used: '9Gi', claim: makeClaim('3Gi'), asks: '3Gi' },
    expected: { used: '9Gi', claim: makeClaim('3Gi', { since }) },
  },
  {
    name: 'a repeated claim is a later one, whatever the clock says',
    ...{ used: '3Gi', claim: makeClaim('3Gi', { since: later }), asks: '3Gi' },
    expected: { used: '3Gi', claim: makeClaim('3Gi', { since: '2026-01-01T00:01:00.000000Z' }) },
  },
  {
    name: 'the larger claim of two stays',
    ...{ used: '6Gi', claim: makeClaim('5Gi'), asks: '3Gi' },
    expected: { used: '6Gi', claim: makeClaim('5Gi', { since }) },
  },
  {
    name: 'a new object that was claimed needs room for what is new only',
    ...{ used: '9Gi', claim: makeClaim('3Gi'), asks: '5Gi' },
    expected: {
      refusal:
        'exceeded quota: q, requested: requests.storage=5Gi, used: requests.storage=6Gi, limited: requests.storage=10Gi',
    },
  },
  {
    name: 'growth is claimed with what is held already',
    ...{ used: '4Gi', old: ['2Gi', '7'], asks: '5Gi' },
    expected: { used: '7Gi', claim: makeClaim('5Gi', { ...charged('3Gi', '7'), since }) },
  },
  { name: 'what shrinks claims nothing', used: '4Gi', old: ['2Gi', '7'], asks: '1Gi' },
  {
    name: 'growth of the same version is not charged again',
    ...{ used: '10Gi', claim: makeClaim('5Gi', charged('3Gi', '7')), old: ['2Gi', '7'], asks: '5Gi' },
    expected: { used: '10Gi', claim: makeClaim('5Gi', { ...charged('3Gi', '7'), since }) },
  },
  {
    name: 'growth of a later version that has the earlier growth is charged',
    ...{ used: '5Gi', claim: makeClaim('5Gi', charged('3Gi', '7')), old: ['5Gi', '8'], asks: '8Gi' },
    expected: { used: '8Gi', claim: makeClaim('8Gi', { ...charged('6Gi', '8'), since }) },
  },
  {
    name: 'growth of another version is never charged less than it may be',
    ...{ used: '1Gi', claim: makeClaim('10Gi', charged('1Gi', '3')), old: ['2Gi', '7'], asks: '5Gi' },
    expected: { used: '4Gi', claim: makeClaim('10Gi', { ...charged('4Gi', '7'), mixed: true, since }) },
  },
  {
    name: 'growth beyond the limit is refused',
    ...{ used: '9Gi', old: ['2Gi', '7'], asks: '5Gi' },
    expected: {
      refusal:
        'exceeded quota: q, requested: requests.storage=3Gi, used: requests.storage=9Gi, limited: requests.storage=10Gi',
    },
  },
];

describe('planClaim', () => {
  it.for(rows)('$name', ({ used, claim, old, asks, hard, expected }) => {
    const object = makeStorage(asks);
    const request =
      old === undefined
        ? { operation: 'CREATE' as const, object }
        : { operation: 'UPDATE' as const, object, oldObject: makeStorage(...old) };
    const ledger = makeLedger(used, claim === undefined ? [] : [claim], hard);
    const decision = planClaim([ledger], { evaluator: storage, request }, { nowMillis: 0, since });
    if (expected !== undefined && 'refusal' in expected) {
      expect(decision.refusal).toBe(expected.refusal);
      return;
    }
    const next = decision.claimed?.get('q')?.ledger;
    if (expected === undefined) {
      expect(decision.claimed?.size).toBe(0);
      return;
    }
    expect(next && writeUsage(next.used)).toEqual({ 'requests.storage': expected.used });
    expect(next && writeClaims(next.claims)).toEqual([writeRow(expected.claim)]);
  });

  it('claims of every quota that the object is in, or of none', () => {
    const few = { ...makeLedger('9Gi'), name: 'few' };
    const request = { operation: 'CREATE' as const, object: makeStorage('2Gi') };
    const decision = planClaim([makeLedger('0'), few], { evaluator: storage, request }, { nowMillis: 0, since });
    expect(decision.refusal).toContain('exceeded quota: few');
    expect(decision.claimed).toBeUndefined();
  });

  it('claims all of an object that an update brings into the scope of a quota', () => {
    const status = { hard: { pods: '3' }, used: { pods: '1' } };
    const spec = { hard: status.hard, scopes: ['Terminating' as const] };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec, status };
    const makePod = (activeDeadlineSeconds?: number): KubeObject =>
      ({
        ...makeStorage('1', '9'),
        kind: 'Pod',
        spec: { containers: [], activeDeadlineSeconds },
      }) as unknown as KubeObject;
    const request = { operation: 'UPDATE' as const, object: makePod(5), oldObject: makePod() };
    const decision = planClaim([readLedger(quota)], { evaluator: pods, request }, { nowMillis: 0, since });
    const ledger = decision.claimed?.get('q')?.ledger;
    expect(ledger && writeUsage(ledger.used)).toEqual({ pods: '2' });
    expect(ledger && writeClaims(ledger.claims)).toEqual([`u pods pods=1 since=${since} charge=pods=1 version=9`]);
  });

  it('lets writes wait that find too many others under way', () => {
    const claims = Array.from({ length: MAX_CLAIMS }, (_, i) => makeClaim('0', { uid: `u${i}` }));
    const request = { operation: 'CREATE' as const, object: makeStorage('1Gi') };
    const decision = planClaim([makeLedger('0', claims)], { evaluator: storage, request }, { nowMillis: 0, since });
    expect(decision).toEqual({ refusal: 'too many writes under way in quota: q', isTransient: true });
  });
});

describe('planRelease', () => {
  it('takes back what the claim has in used', () => {
    const ledger = makeLedger('7Gi', [makeClaim('5Gi', charged('3Gi', '7'))]);
    const released = planRelease(ledger, { uid: 'u', since: earlier });
    expect(released && writeUsage(released.used)).toEqual({ 'requests.storage': '4Gi' });
    expect(released?.claims.size).toBe(0);
  });

  it('leaves a claim that another write has made anew', () => {
    expect(planRelease(makeLedger('5Gi', [makeClaim('5Gi')]), { uid: 'u', since })).toBeUndefined();
  });
});
