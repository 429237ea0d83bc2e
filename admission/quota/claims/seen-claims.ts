import { formatClaimKey, type LedgerQuota, readClaims } from '../../../kinds/core/resource-quota/quota-claim.ts';

interface Sighting {
  readonly version: bigint;
  readonly seenMillis: ReadonlyMap<string, number>;
}

/** When this process first saw the claims of quotas, by a clock that never jumps. What it forgets only stays open for longer. */
export class SeenClaims {
  readonly #monotonicMillis: () => number;
  readonly #byQuota = new Map<string, Sighting>();

  constructor(monotonicMillis: () => number) {
    this.#monotonicMillis = monotonicMillis;
  }

  /**
   * Notes the claims of a quota as it was read or heard of, and returns when each of them was first seen. Those that it does not have any
   * more are forgotten, unless a later state was noted before.
   */
  note({ metadata, status }: LedgerQuota): ReadonlyMap<string, number> {
    const { uid = '' } = metadata;
    const version = BigInt(metadata.resourceVersion ?? '0');
    const known = this.#byQuota.get(uid);
    const nowMillis = this.#monotonicMillis();
    const keys = [...readClaims(status?.claims).values()].map(formatClaimKey);
    const seenMillis = new Map(keys.map((key) => [key, known?.seenMillis.get(key) ?? nowMillis]));
    if (known === undefined || version >= known.version) this.#byQuota.set(uid, { version, seenMillis });
    return seenMillis;
  }

  /** Forgets a quota that is gone. */
  forget({ metadata }: LedgerQuota): void {
    this.#byQuota.delete(metadata.uid ?? '');
  }

  /** How many claims are open. */
  countOpen(): number {
    let count = 0;
    for (const { seenMillis } of this.#byQuota.values()) count += seenMillis.size;
    return count;
  }
}
