import { deepClone, deepEqual } from '../../../core/meta/deep.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatApiVersion } from '../../../core/meta/resource-name.ts';
import { isConvertedByWebhook } from './converted-values.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';

type StoredObject = KubeObject & JsonObject;

/** Group and version that objects of the kind are stored as. */
export function getStoredApiVersion({ group, apiVersion, storedVersion }: RegisteredKind): string {
  return storedVersion === undefined ? apiVersion : formatApiVersion(group, storedVersion);
}

/** The other group-versions of a kind that has several, in which its managers may have named fields. */
export function listOtherApiVersions({ group, version, definedBy }: RegisteredKind): readonly string[] {
  const versions = definedBy?.spec.versions ?? [];
  return versions.flatMap(({ name }) => (name === version ? [] : [formatApiVersion(group, name)]));
}

/** The object in the version that it is stored as: itself, or a copy. */
export function toStoredVersion(object: StoredObject, kind: RegisteredKind): StoredObject {
  if (kind.conversion === undefined || getStoredApiVersion(kind) === kind.apiVersion) return object;
  if (isConvertedByWebhook(kind)) throw new Error(`an object of ${kind.apiVersion} is stored before it is converted`);
  const stored = deepClone(object);
  kind.conversion.toStored(stored);
  return stored;
}

/** Whether an object that was parsed from the store would be stored as the same version with the same fields again. */
export function isAsStoredNow(object: StoredObject, kind: RegisteredKind): boolean {
  const { conversion } = kind;
  if (conversion === undefined) return true;
  if (object.apiVersion !== getStoredApiVersion(kind)) return false;
  if (object.apiVersion !== kind.apiVersion && isConvertedByWebhook(kind)) return true;
  const again = deepClone(object);
  conversion.fromStored(again);
  conversion.toStored(again);
  return deepEqual(again, object);
}
