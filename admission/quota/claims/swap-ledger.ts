import { hasReason } from '../../../core/errors/status.ts';
import {
  type LedgerQuota,
  type QuotaLedgerState,
  type QuotaLedgerStatus,
  writeClaims,
} from '../../../kinds/core/resource-quota/quota-claim.ts';
import { writeUsage } from '../../../kinds/core/resource-quota/usage.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import { resourceQuotas } from '../quota-status.ts';

/** Which count a status stands for; absent: none yet. */
export type CountMark = QuotaLedgerStatus['count'];

/**
 * Stores what a quota's ledger should be, unless the quota has changed since it was read: then, and when it is gone, `undefined`.
 * Resolves to the quota as it is stored, with all that the host answers.
 */
export async function swapLedger(
  client: ResourceClient,
  quota: LedgerQuota,
  ledger: QuotaLedgerState,
  count: CountMark = quota.status?.count,
): Promise<LedgerQuota | undefined> {
  const { namespace = '', name = '', uid, resourceVersion } = quota.metadata;
  // Without a version the host would store it over whatever is there.
  if (resourceVersion === undefined) throw new Error('a quota without a resourceVersion cannot be swapped');
  const status: QuotaLedgerStatus = {
    hard: writeUsage(ledger.hard),
    used: writeUsage(ledger.used),
    ...(ledger.claims.size === 0 ? {} : { claims: writeClaims(ledger.claims) }),
    ...(count === undefined ? {} : { count }),
  };
  // Only the status counts here; the rest of a quota would be read by the host for nothing.
  const body = {
    apiVersion: quota.apiVersion,
    kind: quota.kind,
    metadata: { namespace, name, resourceVersion, ...(uid === undefined ? {} : { uid }) },
    status,
  };
  try {
    const reference = { resource: resourceQuotas, namespace, name };
    const stored = await client.update(reference, body, {}, 'status');
    return stored as unknown as LedgerQuota;
  } catch (error) {
    if (hasReason(error, 'Conflict') || hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
