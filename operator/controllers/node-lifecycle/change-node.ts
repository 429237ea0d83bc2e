import { hasReason } from '../../../core/errors/status.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import type { NodeObject, Taint } from '../../../kinds/core/node/node-object.ts';
import { getIfPresent } from '../../../platform/resources/get-if-present.ts';
import { sleep } from '../../../platform/process/clock.ts';
import type { ControllerOptions } from '../controller-parts.ts';

/** Where nodes are. */
export const nodeResource: ResourceName = { group: '', version: 'v1', resource: 'nodes' };

const maxTries = 5;
const retryMillis = 20;

/** What a patch says of a node's taints. */
export function writeTaints(taints: Taint[]): JsonObject {
  // An empty list is no list.
  return { taints: taints.length === 0 ? null : taints };
}

/**
 * Changes a node by what `decide` says of it, a merge patch without the version, or of its newest state when somebody else wrote meanwhile.
 * Returns the node as it is then; `undefined` when it is gone, or another one has its name.
 */
export async function changeNode(
  { client, clock }: Pick<ControllerOptions, 'client' | 'clock'>,
  node: NodeObject,
  decide: (node: NodeObject) => JsonObject | undefined,
  subresource?: string,
): Promise<NodeObject | undefined> {
  const { name = '', uid } = node.metadata;
  const reference = { resource: nodeResource, name };
  let current = node;
  for (let tries = 1; ; tries += 1) {
    const change = decide(current);
    if (change === undefined) return current;
    const { resourceVersion = '' } = current.metadata;
    const metadata = { ...(change['metadata'] as JsonObject | undefined), resourceVersion };
    try {
      const patch = { ...change, metadata };
      return await client.patch<NodeObject>(reference, 'application/merge-patch+json', patch, {}, subresource);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      if (!hasReason(error, 'Conflict') || tries === maxTries) throw error;
    }
    await sleep(clock, tries * retryMillis);
    const newest = await getIfPresent<NodeObject>(client, reference);
    if (newest === undefined || newest.metadata.uid !== uid) return undefined;
    current = newest;
  }
}
