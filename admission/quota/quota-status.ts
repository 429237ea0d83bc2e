import { hasReason } from '../../core/errors/status.ts';
import type { ResourceQuota } from '../../kinds/core/resource-quota/schema.ts';
import { type Usage, writeUsage } from '../../kinds/core/resource-quota/usage.ts';
import { type Clock, sleep } from '../../platform/process/clock.ts';
import { getIfPresent } from '../../platform/resources/get-if-present.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';

/** How quotas are named at the API. */
export const resourceQuotas = { group: '', version: 'v1', resource: 'resourcequotas' };

/** Reads a quota; `undefined` when there is none. */
export function readQuota(client: ResourceClient, namespace: string, name: string): Promise<ResourceQuota | undefined> {
  return getIfPresent<ResourceQuota>(client, { resource: resourceQuotas, namespace, name });
}

/** Stores the status of a quota unless it has changed since it was read; false when it has, or is gone. */
export async function swapStatus(
  client: ResourceClient,
  quota: ResourceQuota,
  status: { readonly hard: Usage; readonly used: Usage },
): Promise<boolean> {
  const { namespace = '', name = '' } = quota.metadata;
  const next = { ...quota, status: { hard: writeUsage(status.hard), used: writeUsage(status.used) } };
  try {
    await client.update<ResourceQuota>({ resource: resourceQuotas, namespace, name }, next, {}, 'status');
    return true;
  } catch (error) {
    if (hasReason(error, 'Conflict') || hasReason(error, 'NotFound')) return false;
    throw error;
  }
}

/**
 * Waits before a swap that was outrun is tried again: what came in between may not be readable yet, and asking at once would only find
 * the old state again. `attempt` counts from 1.
 */
export async function awaitRetry(clock: Clock, attempt: number): Promise<void> {
  await sleep(clock, Math.min(attempt, 20));
}
