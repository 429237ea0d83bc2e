import { describe, expect, it } from 'vitest';
import { CLAIM_LIFETIME_MILLIS, planClaimRecount } from './plan-claim-recount.ts';
import { formatClaimKey, readLedger, writeClaims } from './quota-claim.ts';
import { formatUsage, readUsage, writeUsage } from './usage.ts';

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

const since = '2026-01-01T00:00:00.000000Z';
const created: ClaimRow = { uid: 'u', resource: 'pods', usage: { cpu: '3' }, since };
const grown: ClaimRow = { ...created, charge: { cpu: '2' }, version: '7' };

interface Row {
  readonly name: string;
  readonly claim: ClaimRow;
  /** What the list had of the object; absent: it was not there. */
  readonly observed?: string;
  /** Version of the object in the list; absent: 7. */
  readonly version?: string;
  /** How long before the list the claim was first seen; absent: it was not seen before. */
  readonly seenBefore?: number;
  readonly isDeleted?: boolean;
  readonly counted: string;
  readonly used: string;
  /** The claim that is left. */
  readonly left?: ClaimRow;
}

const rows: Row[] = [
  {
    name: 'keeps a creation that is not listed',
    claim: created,
    seenBefore: 0,
    counted: '4',
    used: '7',
    left: created,
  },
  { name: 'closes a creation once its object is listed', claim: created, observed: '3', counted: '4', used: '4' },
  { name: 'closes a creation whose object uses less by now', claim: created, observed: '0', counted: '1', used: '1' },
  { name: 'closes a claim whose object is deleted', claim: created, isDeleted: true, counted: '4', used: '4' },
  {
    name: 'keeps growth that is not listed yet, at what it lacks',
    ...{ claim: grown, observed: '1', seenBefore: 10, counted: '4', used: '6', left: grown },
  },
  {
    name: 'charges growth for more when the object has shrunk',
    ...{ claim: grown, observed: '0', seenBefore: 10, counted: '3', used: '6' },
    left: { ...grown, charge: { cpu: '3' } },
  },
  {
    name: 'closes growth whose version is outdated in the list, even unseen',
    ...{ claim: grown, observed: '1', version: '10', counted: '5', used: '5' },
  },
  { name: 'closes growth that is listed', claim: grown, observed: '3', seenBefore: 0, counted: '5', used: '5' },
  {
    name: 'keeps growth that was claimed after the list, whatever was listed',
    ...{ claim: grown, observed: '3', counted: '5', used: '5', left: { ...grown, charge: {} } },
  },
  {
    name: 'keeps what may still be stored',
    ...{ claim: created, seenBefore: CLAIM_LIFETIME_MILLIS - 1, counted: '4', used: '7', left: created },
  },
  {
    name: 'closes what can no longer be stored',
    ...{ claim: created, seenBefore: CLAIM_LIFETIME_MILLIS, counted: '4', used: '4' },
  },
];

describe('planClaimRecount', () => {
  it.for(rows)('$name', ({ claim, observed, version = '7', seenBefore, isDeleted, counted, used, left }) => {
    const spec = { hard: { cpu: '10' } };
    const status = { hard: spec.hard, used: { cpu: '9' }, claims: [writeRow(claim)] };
    const metadata = { name: 'q' };
    const listBegunMillis = 1_000_000;
    const decision = planClaimRecount({
      spec,
      ledger: readLedger({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec, status }),
      counted: readUsage({ cpu: counted }),
      observed: new Map(observed === undefined ? [] : [['u', { usage: readUsage({ cpu: observed }), version }]]),
      seenMillis: new Map(seenBefore === undefined ? [] : [[formatClaimKey(claim), listBegunMillis - seenBefore]]),
      listBegunMillis,
      deleted: new Set(isDeleted === true ? ['u'] : []),
    });
    expect(writeUsage(decision.ledger.used)).toEqual({ cpu: used });
    expect(writeClaims(decision.ledger.claims)).toEqual(left === undefined ? [] : [writeRow(left)]);
  });

  it('keeps the amount of what nothing counts, but for claims that are closed', () => {
    const spec = { hard: { 'count/widgets.example.com': '5' } };
    const claim = { uid: 'u', resource: 'widgets.example.com', usage: { 'count/widgets.example.com': '1' }, since };
    const status = { hard: spec.hard, used: { 'count/widgets.example.com': '3' }, claims: [writeRow(claim)] };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec, status };
    const facts = {
      spec,
      ledger: readLedger(quota),
      counted: new Map(),
      observed: new Map(),
      deleted: new Set<string>(),
    };
    const kept = planClaimRecount({ ...facts, seenMillis: new Map(), listBegunMillis: 0 });
    expect(writeUsage(kept.ledger.used)).toEqual({ 'count/widgets.example.com': '3' });
    expect(kept.isChanged).toBe(false);
    const seenMillis = new Map([[formatClaimKey(claim), 0]]);
    const closed = planClaimRecount({ ...facts, seenMillis, listBegunMillis: CLAIM_LIFETIME_MILLIS });
    expect(writeUsage(closed.ledger.used)).toEqual({ 'count/widgets.example.com': '2' });
  });

  it('leaves alone what could not be listed, unless it was never counted for the spec', () => {
    const spec = { hard: { cpu: '10', 'count/widgets.example.com': '5' } };
    const status = {
      hard: spec.hard,
      used: { cpu: '4', 'count/widgets.example.com': '3' },
      claims: [writeRow(created)],
    };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec, status };
    const facts = {
      ...{ spec, ledger: readLedger(quota), observed: new Map(), deleted: new Set(['u']), seenMillis: new Map() },
      ...{ listBegunMillis: 0, counted: readUsage({ 'count/widgets.example.com': '2' }), unlisted: new Set(['cpu']) },
    };
    const kept = planClaimRecount(facts);
    expect(writeUsage(kept.ledger.used)).toEqual({ cpu: '4', 'count/widgets.example.com': '2' });
    expect(kept.ledger.claims.size).toBe(1);
    const unknown = planClaimRecount({ ...facts, isCounted: false });
    expect(writeUsage(unknown.ledger.used)).toEqual({ 'count/widgets.example.com': '2' });
  });
});
