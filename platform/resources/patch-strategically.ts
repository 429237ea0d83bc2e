import { makeBadRequestError } from '../../core/errors/make-status-error.ts';
import { hasReason, type StatusError } from '../../core/errors/status.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import { makeMergePatch } from '../../core/patch/make-merge-patch.ts';
import { makeRejectedPatchError } from '../../core/patch/make-rejected-patch-error.ts';
import { applyStrategicMergePatch } from '../../core/patch/strategic-merge-patch.ts';
import type { RegisteredKind } from '../../kinds/registry.ts';

/** How a strategic merge patch of a custom resource is carried out; both steps speak of the (sub)resource that is patched. */
export interface StrategicPatchSteps<T> {
  readonly kind: RegisteredKind;
  readonly patch: JsonValue;
  /** The object as it is. */
  readonly read: () => Promise<JsonObject>;
  /** Applies a JSON merge patch, with the options of the request. */
  readonly merge: (patch: JsonObject) => Promise<T>;
}

/** As often as an API server tries a patch again that another write has outrun. */
const maxTries = 5;

/** Whether a host knows no strategic merge for the kind: only for its built-in ones it does. */
export function needsStrategicPatchSteps(kind: RegisteredKind): boolean {
  return kind.crd !== undefined;
}

function makePatchError(kind: string, fault: string): StatusError {
  if (kind !== 'failed') return makeBadRequestError(fault);
  return makeRejectedPatchError();
}

/**
 * A strategic merge patch of an object that the host holds as a custom resource, which it refuses: the patch is applied to the object as it
 * is by the schema of the kind, and what that changes is sent as a merge patch bound to the resourceVersion. Throws 400 and 422 for a
 * patch that cannot be applied, and what the steps throw.
 */
export async function patchStrategically<T>({ kind, patch, read, merge }: StrategicPatchSteps<T>): Promise<T> {
  const ownVersion = isJsonObject(patch) && isJsonObject(patch['metadata']) && patch['metadata']['resourceVersion'];
  for (let tries = 1; ; tries += 1) {
    const live = await read();
    const result = applyStrategicMergePatch(live, patch, kind.schema);
    if ('fault' in result) throw makePatchError(result.kind, result.fault);
    const change = makeMergePatch(live, result.value);
    const { metadata } = live;
    const resourceVersion = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
    const changedMetadata = getOwn(change, 'metadata');
    change['metadata'] = {
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(isJsonObject(changedMetadata) ? changedMetadata : {}),
    };
    try {
      return await merge(change);
    } catch (error) {
      // Whoever names a version wants to hear that it is not the one.
      if (typeof ownVersion === 'string' || tries === maxTries || !hasReason(error, 'Conflict')) throw error;
    }
  }
}
