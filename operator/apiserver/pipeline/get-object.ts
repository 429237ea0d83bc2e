import { makeNotFoundError } from '../../../core/errors/make-status-error.ts';
import type { StoredObject } from '../../../platform/store/object-store.ts';
import type { PipelineServices } from './pipeline-services.ts';
import { makeKey, type ResourceTarget } from './resource-target.ts';
import { makeTooLargeVersionError, readResourceVersion } from './resource-version.ts';

/** Reads an object, not older than `resourceVersion` when that is given. Throws 404, and 400 or 504 for the version. */
export function getObject(
  services: PipelineServices,
  target: ResourceTarget,
  namespace: string | undefined,
  name: string,
  resourceVersion?: string,
): StoredObject {
  const version = readResourceVersion(resourceVersion, '');
  const { store } = services;
  if (version !== undefined && version > store.revision)
    throw makeTooLargeVersionError(resourceVersion ?? '', store.revision);
  const stored = store.get(makeKey(target.kind, namespace, name));
  if (stored === undefined) throw makeNotFoundError(target.group, target.kind.plural, name);
  return stored;
}
