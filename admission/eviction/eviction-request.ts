import { makeConflictError } from '../../core/errors/make-status-error.ts';
import type { StatusError } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { readField, readList, readNumber, readText } from '../../kinds/workloads/read-field.ts';
import type { DeleteOptions } from '../../platform/resources/resource-client.ts';

/** The delete options that an Eviction holds, without its dry run. */
export function readEvictionOptions(eviction: KubeObject): DeleteOptions {
  const gracePeriodSeconds = readNumber(eviction, 'deleteOptions', 'gracePeriodSeconds');
  const orphanDependents = readField(eviction, 'deleteOptions', 'orphanDependents');
  const propagationPolicy = readText(eviction, 'deleteOptions', 'propagationPolicy');
  const uid = readField(eviction, 'deleteOptions', 'preconditions', 'uid');
  const resourceVersion = readField(eviction, 'deleteOptions', 'preconditions', 'resourceVersion');
  // Empty ones are not absent: no pod has an empty uid.
  const preconditions = {
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  };
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(typeof orphanDependents === 'boolean' ? { orphanDependents } : {}),
    ...(propagationPolicy === '' ? {} : { propagationPolicy }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
  };
}

/** The `dryRun` that an Eviction holds; empty when it is meant. */
export function readEvictionDryRun(eviction: KubeObject): string[] {
  return readList(eviction, 'deleteOptions', 'dryRun').map(String);
}

/** The 409 by which an eviction ends whose preconditions a pod does not meet; `undefined` when it meets them. */
export function findPreconditionFault(pod: KubeObject, { preconditions }: DeleteOptions): StatusError | undefined {
  const { uid, resourceVersion = '' } = preconditions ?? {};
  const { name = '', uid: ownUid = '', resourceVersion: version = '' } = pod.metadata;
  const make = (what: string, wanted: string, found: string, cause: string): StatusError => {
    const message = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). ${cause}`;
    return makeConflictError('', 'Pod', name, message);
  };
  if (uid !== undefined && uid !== ownUid) {
    return make('UID', uid, ownUid, 'The object might have been deleted and then recreated');
  }
  if (resourceVersion !== '' && resourceVersion !== version) {
    return make('ResourceVersion', resourceVersion, version, 'The object might have been modified');
  }
  return undefined;
}
