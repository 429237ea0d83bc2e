import { SeenClaims } from '../../../admission/quota/claims/seen-claims.ts';
import { resourceQuotas } from '../../../admission/quota/quota-status.ts';
import type { LedgerQuota } from '../../../kinds/core/resource-quota/quota-claim.ts';
import type { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import { type ControllerOptions, createIndex } from '../controller-parts.ts';

/** Notes when claims appear for as long as the program runs, so that one that begins to lead knows how old those are that it finds. */
export class ClaimWatch {
  readonly monotonicMillis = (): number => performance.now();
  readonly seen = new SeenClaims(this.monotonicMillis);
  readonly #quotas: CollectionIndex<LedgerQuota>;

  constructor(options: ControllerOptions) {
    this.#quotas = createIndex<LedgerQuota>(options, resourceQuotas);
    this.#quotas.subscribe(({ object, previous }) => {
      if (object !== undefined) this.seen.note(object);
      else if (previous !== undefined) this.seen.forget(previous);
    });
  }

  /** Resolves when the claims that there are have been noted. */
  start(): Promise<void> {
    return this.#quotas.start();
  }

  /** Resolves when nothing runs any more. */
  close(): Promise<void> {
    return this.#quotas.close();
  }
}
