import { Counter, Histogram } from 'prom-client';
import { resourceQuotaKind } from '../../../kinds/core/resource-quota/definition.ts';
import type { ResourceQuota } from '../../../kinds/core/resource-quota/schema.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import type { Logger } from '../../../platform/process/logger.ts';
import type { Registry } from '../../../platform/process/metrics.ts';
import { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import { EnforceableIndex } from '../../enforceable-index.ts';
import { resourceQuotas } from '../quota-status.ts';
import { UsageEvaluators } from '../usage-evaluators.ts';
import { ClaimQuotaPlugin } from './claim-quota-plugin.ts';
import { LedgerCache } from './ledger-cache.ts';

/** What claiming at a host needs of the program. */
export interface QuotaClaimsOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly domain: string;
  /** Told of each quota that nothing can act on, once a generation. */
  readonly onInvalid: (quota: ResourceQuota, faults: readonly string[]) => void;
}

/** The quota plugin of a webhook, and the quotas that it follows. */
export interface QuotaClaims {
  readonly plugin: ClaimQuotaPlugin;
  /** Resolves when the quotas that exist are known. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Puts together what claims quota for the writes of a host. */
export function openQuotaClaims(options: QuotaClaimsOptions): QuotaClaims {
  const { client, clock, logger, metrics, domain, onInvalid } = options;
  const index = new CollectionIndex<ResourceQuota>({
    ...{ client, clock, reference: { resource: resourceQuotas } },
    onFailure: (error) =>
      logger.warn({ resource: 'resourcequotas', err: error }, 'following a collection failed, trying again'),
  });
  const enforceable = new EnforceableIndex<ResourceQuota>({
    ...{ kind: resourceQuotaKind, index, domain, clock, onInvalid },
  });
  const swaps = new Counter({
    ...{ name: 'bailiwick_quota_claim_swaps_total', labelNames: ['result'], registers: [metrics] },
    help: 'Tries to store claims in the status of a quota; outrun ones are tried again on its newest state.',
  });
  const batches = new Histogram({
    ...{ name: 'bailiwick_quota_claims_per_swap', registers: [metrics], buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500] },
    help: 'Claims that were stored in one swap.',
  });
  const plugin = new ClaimQuotaPlugin({
    ...{ client, clock, domain, random: Math.random, evaluators: new UsageEvaluators([]) },
    quotas: new LedgerCache({ list: (namespace) => enforceable.list(namespace) }),
    onSwap(outcome, claims) {
      swaps.inc({ result: outcome });
      if (outcome === 'stored') batches.observe(claims);
    },
    onFailure(doing, error) {
      if (doing === 'claim') logger.warn({ err: error }, 'quota could not be claimed, nobody is let through for it');
      else logger.warn({ err: error }, 'claims could not be taken back, they are closed in time');
    },
  });
  return { plugin, start: () => index.start(), close: () => index.close() };
}
