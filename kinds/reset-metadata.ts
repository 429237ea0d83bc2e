import { deepClone } from '../core/meta/deep.ts';
import type { KubeObject, ObjectMeta } from '../core/meta/kube-object.ts';

/**
 * Puts the stored metadata back, in place, for kinds whose status can be written without touching anything else.
 * managedFields stay as given since they record this write, and so does the resourceVersion that the client expects.
 */
export function resetMetadata(object: KubeObject, old: KubeObject): void {
  const { managedFields, resourceVersion } = object.metadata;
  const metadata: ObjectMeta = { ...deepClone(old.metadata), managedFields, resourceVersion };
  if (managedFields === undefined) delete metadata.managedFields;
  if (resourceVersion === undefined) delete metadata.resourceVersion;
  object.metadata = metadata;
}
