import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { resourceQuotaKind } from '../../../kinds/core/resource-quota/definition.ts';
import type { LedgerQuota } from '../../../kinds/core/resource-quota/quota-claim.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import { checkEnforceable } from '../../check-enforceable.ts';
import { readQuota } from '../quota-status.ts';

/** What reading quotas from a host needs. */
export interface QuotaReading {
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly domain: string;
}

/** A quota of a host as it can be acted on; `undefined` for one that breaks the kind's rules, and is inert. */
export function interpretQuota({ clock, domain }: QuotaReading, raw: KubeObject): LedgerQuota | undefined {
  return checkEnforceable(resourceQuotaKind, raw, { domain, nowMillis: clock.now() }).object;
}

/** The newest state of a quota; `undefined` when there is none that can be acted on. */
export async function readLedgerQuota(
  reading: QuotaReading,
  namespace: string,
  name: string,
): Promise<LedgerQuota | undefined> {
  const raw = await readQuota(reading.client, namespace, name);
  return raw === undefined ? undefined : interpretQuota(reading, raw);
}
