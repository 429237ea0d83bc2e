import type { LedgerQuota } from '../../../kinds/core/resource-quota/quota-claim.ts';

/** Where the quotas of a namespace are looked up: an index that lags behind, of quotas that can be acted on. */
export interface QuotaIndex {
  list(namespace: string): readonly LedgerQuota[];
}

function isNewer(a: LedgerQuota, b: LedgerQuota): boolean {
  return BigInt(a.metadata.resourceVersion ?? '0') > BigInt(b.metadata.resourceVersion ?? '0');
}

/** The newest states of quotas that this process knows of: those of an index, or what it has written or read itself since. */
export class LedgerCache {
  readonly #index: QuotaIndex;
  readonly #newer = new Map<string, LedgerQuota>();

  constructor(index: QuotaIndex) {
    this.#index = index;
  }

  /** The quotas of a namespace, by name. They may be outdated. */
  list(namespace: string): LedgerQuota[] {
    const quotas = this.#index.list(namespace).map((quota) => this.#pick(quota));
    return quotas.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  }

  /** Remembers a state that was read or written just now. */
  keep(quota: LedgerQuota): void {
    const { uid } = quota.metadata;
    if (uid === undefined) return;
    const known = this.#newer.get(uid);
    if (known === undefined || isNewer(quota, known)) this.#newer.set(uid, quota);
  }

  #pick(indexed: LedgerQuota): LedgerQuota {
    const { uid = '' } = indexed.metadata;
    const known = this.#newer.get(uid);
    if (known === undefined) return indexed;
    if (isNewer(known, indexed)) return known;
    this.#newer.delete(uid);
    return indexed;
  }
}
