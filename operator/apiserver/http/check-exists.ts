import { makeNotFoundError } from '../../../core/errors/make-status-error.ts';
import { makeKey } from '../pipeline/resource-target.ts';
import type { ResourceCall } from './resource-call.ts';

/** Throws 404 when there is nothing of the request's name: Kubernetes reads a patch only once it has what is to be patched. */
export function checkExists({ resources, target, namespace, name }: ResourceCall): void {
  const stored = resources.services.store.getLatest(makeKey(target.kind, namespace, name));
  if (stored === undefined) throw makeNotFoundError(target.group, target.kind.plural, name);
}
