import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { parseTime } from '../../../core/time/time.ts';
import { getIfPresent } from '../../../platform/resources/get-if-present.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';

/** An object as a token names it. */
export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

/** Whom a token is for, and what it lives and dies with. A pod's node is recorded only; a node by itself binds. */
export interface TokenBinding {
  readonly namespace: string;
  readonly serviceAccount: BoundObject;
  readonly pod?: BoundObject;
  readonly secret?: BoundObject;
  readonly node?: BoundObject;
}

/** Kinds that tokens are bound to. */
export type TokenObjectResource = 'serviceaccounts' | 'pods' | 'secrets' | 'nodes';

/** Reads objects that tokens are bound to. */
export interface TokenObjects {
  /** `undefined` when there is none of that name; `namespace` is absent for nodes. */
  find(resource: TokenObjectResource, name: string, namespace?: string): Promise<KubeObject | undefined>;
}

/** Reads the objects through a resource client. */
export function createTokenObjects(client: ResourceClient): TokenObjects {
  return {
    find: (resource, name, namespace) =>
      getIfPresent(client, {
        resource: { group: '', version: 'v1', resource },
        ...(namespace === undefined ? {} : { namespace }),
        name,
      }),
  };
}

function isDeletedBefore(object: KubeObject, millis: number): boolean {
  const { deletionTimestamp } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  const deletedMillis = parseTime(deletionTimestamp);
  return deletedMillis === undefined || deletedMillis < millis;
}

/**
 * Checks that everything a token is bound to is still there, with the same uid, and not deleted before `deletedBeforeMillis`.
 * `undefined` when it is, else what is wrong, in Kubernetes' words.
 */
export async function findBindingFault(
  binding: TokenBinding,
  objects: TokenObjects,
  deletedBeforeMillis: number,
): Promise<string | undefined> {
  const { namespace, serviceAccount, pod, secret, node } = binding;
  const account = await objects.find('serviceaccounts', serviceAccount.name, namespace);
  if (account === undefined) return `serviceaccounts ${JSON.stringify(serviceAccount.name)} not found`;
  const accountUid = account.metadata.uid ?? '';
  if (accountUid !== serviceAccount.uid) {
    return `service account UID (${accountUid}) does not match claim (${serviceAccount.uid})`;
  }
  if (isDeletedBefore(account, deletedBeforeMillis)) {
    return `service account ${namespace}/${serviceAccount.name} has been deleted`;
  }
  const bound: [TokenObjectResource, string, BoundObject | undefined, string | undefined][] = [
    ['secrets', 'secret', secret, namespace],
    ['pods', 'pod', pod, namespace],
    ['nodes', 'node', pod === undefined ? node : undefined, undefined],
  ];
  for (const [resource, noun, reference, scope] of bound) {
    if (reference === undefined) continue;
    const object = await objects.find(resource, reference.name, scope);
    if (object === undefined || isDeletedBefore(object, deletedBeforeMillis)) {
      return 'service account token has been invalidated';
    }
    const uid = object.metadata.uid ?? '';
    if (uid !== reference.uid) {
      const title = noun.charAt(0).toUpperCase() + noun.slice(1);
      return `${title} UID (${uid}) does not match service account ${noun} ref claim (${reference.uid})`;
    }
  }
  return undefined;
}
