import { compareQuantities } from '../../../core/quantity/quantity.ts';
import type { ResourceList } from '../resource-lists.ts';
import { type Claim, formatClaim, parseClaim } from './claim-text.ts';
import type { QuotaState } from './plan-charge.ts';
import type { ResourceQuota } from './schema.ts';
import { equalUsage, readUsage, type Usage } from './usage.ts';

/** Status of a quota on a host: what the specification names, and the ledger of writes under way. */
export interface QuotaLedgerStatus {
  hard?: ResourceList;
  used?: ResourceList;
  /** Texts of `formatClaim`. */
  claims?: string[];
  /** Which generation of the spec was counted last, and how many counts there have been. */
  count?: { generation: number; serial: number };
}

/** A quota as it is stored on a host. */
export type LedgerQuota = Omit<ResourceQuota, 'status'> & { status?: QuotaLedgerStatus };

/** Claims by the uid of their object. */
export type Claims = ReadonlyMap<string, Claim>;

/** A quota as it stands on a host: `used` is what was counted and the charges of `claims`. */
export interface QuotaLedgerState extends QuotaState {
  readonly claims: Claims;
}

/** No quota holds more: the status of an object has to stay far below what a host stores. */
export const MAX_CLAIMS = 2000;

/** What of a status stands for open writes; empty when there is none. */
export function readClaims(stored: readonly string[] | undefined): Claims {
  const claims = new Map<string, Claim>();
  for (const text of stored ?? []) {
    const claim = parseClaim(text);
    if (claim !== undefined) claims.set(claim.uid, claim);
  }
  return claims;
}

/** Claims as they are stored. */
export function writeClaims(claims: Claims): string[] {
  return [...claims.values()].map(formatClaim);
}

/** A stored quota as plans take it. */
export function readLedger({ metadata, spec, status }: LedgerQuota): QuotaLedgerState {
  return {
    name: metadata.name ?? '',
    spec,
    hard: readUsage(status?.hard),
    used: readUsage(status?.used),
    claims: readClaims(status?.claims),
  };
}

/** Whether `used` of a quota was counted for the spec that it has now; nothing can be claimed before that. */
export function isCounted({ metadata, spec, status }: LedgerQuota): boolean {
  return (
    status?.count !== undefined &&
    status.count.generation === (metadata.generation ?? 0) &&
    equalUsage(readUsage(spec.hard), readUsage(status.hard))
  );
}

/** Tells one claim from every other, and from itself before it was made anew. */
export function formatClaimKey({ uid, since }: Pick<Claim, 'uid' | 'since'>): string {
  return `${uid} ${since}`;
}

/** Whether one resourceVersion is known to be later than another. */
export function isLaterVersion(version: string, than: string): boolean {
  return /^\d+$/.test(version) && /^\d+$/.test(than) && BigInt(version) > BigInt(than);
}

/** Whether `usage` has at least as much of every resource in `least`. */
export function coversUsage(usage: Usage, least: Usage): boolean {
  return [...least].every(([name, amount]) => {
    const own = usage.get(name);
    return own !== undefined && compareQuantities(own, amount) >= 0;
  });
}
