import { compareQuantities } from '../../../core/quantity/quantity.ts';
import type { ResourceList } from '../resource-lists.ts';
import type { QuotaState } from './plan-charge.ts';
import type { ResourceQuota } from './schema.ts';
import { equalUsage, readUsage, type Usage, writeUsage } from './usage.ts';

/** A claim as it is stored in a quota's status on a host. */
export interface StoredClaim {
  uid: string;
  resource: string;
  usage: ResourceList;
  charge?: ResourceList;
  version?: string;
  mixed?: boolean;
  since: string;
}

/** Status of a quota on a host: what the specification names, and the ledger of writes under way. */
export interface QuotaLedgerStatus {
  hard?: ResourceList;
  used?: ResourceList;
  claims?: StoredClaim[];
  /** Which generation of the spec was counted last, and how many counts there have been. */
  count?: { generation: number; serial: number };
}

/** A quota as it is stored on a host. */
export type LedgerQuota = Omit<ResourceQuota, 'status'> & { status?: QuotaLedgerStatus };

/** What a write that has been let through may make one object use, until it is known how the write ended. */
export interface Claim {
  /** Of the object. */
  readonly uid: string;
  /** `pods`, `deployments.apps`. */
  readonly resource: string;
  /** What the object may use, in all, of each resource that the write makes it use more of. */
  readonly usage: Usage;
  /** How much of `used` is there on account of this claim, beside what was counted of the object. */
  readonly charge: Usage;
  /** Whether the write creates the object, so that nothing of it was counted before. */
  readonly isNew: boolean;
  /** Newest resourceVersion of the object that one of the writes was made on; absent when the object was new for all of them. */
  readonly version?: string;
  /** Whether writes on several versions are in it, so that `used` may not hold all of `usage` on top of `version`; absent means no. */
  readonly mixed?: boolean;
  /** When it was made, by the maker's clock: only ever compared for equality, to tell a repeated claim from the one before. */
  readonly since: string;
}

/** Claims by the uid of their object. */
export type Claims = ReadonlyMap<string, Claim>;

/** A quota as it stands on a host: `used` is what was counted and the charges of `claims`. */
export interface QuotaLedgerState extends QuotaState {
  readonly claims: Claims;
}

/** No quota holds more: the status of an object has to stay far below what a host stores. */
export const MAX_CLAIMS = 2000;

/** What of a status stands for open writes; empty when there is none. */
export function readClaims(stored: readonly StoredClaim[] | undefined): Claims {
  return new Map(
    (stored ?? []).map(({ uid, resource, usage, charge, version, mixed, since }) => {
      const amounts = readUsage(usage);
      const claim: Claim = {
        ...{ uid, resource, since, usage: amounts },
        charge: charge === undefined ? amounts : readUsage(charge),
        isNew: charge === undefined,
        ...(version === undefined ? {} : { version }),
        ...(mixed === true ? { mixed } : {}),
      };
      return [uid, claim];
    }),
  );
}

/** Claims as they are stored: that of a new object goes without its charge, which is all of its usage. */
export function writeClaims(claims: Claims): StoredClaim[] {
  return [...claims.values()].map(({ uid, resource, usage, charge, isNew, version, mixed, since }) => ({
    ...{ uid, resource, usage: writeUsage(usage) },
    ...(isNew ? {} : { charge: writeUsage(charge) }),
    ...(version === undefined ? {} : { version }),
    ...(mixed === true ? { mixed } : {}),
    since,
  }));
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
