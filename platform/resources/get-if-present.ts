import { hasReason } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ObjectReference, ResourceClient } from './resource-client.ts';

/** The object, or `undefined` when there is none (or not even its kind). */
export async function getIfPresent<T extends KubeObject>(
  client: Pick<ResourceClient, 'get'>,
  reference: ObjectReference,
): Promise<T | undefined> {
  try {
    return await client.get<T>(reference);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
