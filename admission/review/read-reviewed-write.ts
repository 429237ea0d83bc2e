import { decodeTyped } from '../../core/decode/decode-typed.ts';
import type { FieldError } from '../../core/errors/field-error.ts';
import { FieldPath } from '../../core/errors/field-path.ts';
import { makeInvalid, makeNotFound } from '../../core/errors/make-field-error.ts';
import { deepClone } from '../../core/meta/deep.ts';
import { isJsonObject } from '../../core/meta/json.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { parseApiVersion } from '../../core/meta/resource-name.ts';
import type { ReviewedWrite } from '../../kinds/review/reviewed-write.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { refuseReview } from './refuse-review.ts';
import type { ReviewCall, ReviewedKind, ReviewServices } from './review-services.ts';

const SPEC = FieldPath.root('spec');

type Read = { readonly object: KubeObject; readonly kind: ReviewedKind } | { readonly faults: FieldError[] };

function checkPlace(
  object: KubeObject,
  kind: ReviewedKind,
  { namespace, takesClusterScoped = false }: ReviewCall,
  path: FieldPath,
): FieldError[] {
  if (!kind.namespaced) {
    if (takesClusterScoped) return [];
    return [makeInvalid(path.child('kind'), kind.kind, 'must be a kind of objects that live in a namespace')];
  }
  const named = object.metadata.namespace ?? '';
  if (named === '' || named === namespace) return [];
  return [makeInvalid(path.child('metadata', 'namespace'), named, 'must be the namespace of the review')];
}

async function readObject(services: ReviewServices, raw: JsonObject, call: ReviewCall, path: FieldPath): Promise<Read> {
  const [apiVersion, name] = [String(raw['apiVersion']), String(raw['kind'])];
  const parsed = parseApiVersion(apiVersion);
  const kind = parsed && (await services.findKind(parsed.group, parsed.version, name));
  if (kind === undefined) return { faults: [makeNotFound(path.child('kind'), `${apiVersion}, Kind=${name}`)] };
  const { definition } = kind;
  const metadata = isJsonObject(raw['metadata']) ? raw['metadata'] : {};
  const copy = deepClone<JsonObject>({ ...raw, metadata });
  const decoded = definition === undefined ? { object: copy } : decodeTyped(copy, definition.schema);
  if ('fault' in decoded) return { faults: [makeInvalid(path, name, decoded.fault)] };
  const object = decoded.object as unknown as KubeObject;
  const faults = checkPlace(object, kind, call, path);
  if (faults.length > 0) return { faults };
  if (kind.namespaced) object.metadata.namespace = call.namespace;
  else delete object.metadata.namespace;
  return { object, kind };
}

/** Does to a new or changed object what its kind's strategy does once it is mutated, in place. */
function prepare(services: ReviewServices, { definition }: ReviewedKind, attributes: AdmissionAttributes): void {
  const { object, oldObject, subresource } = attributes;
  // Other subresources have strategies that only the API service knows; their writes are taken as they would be stored.
  if (definition === undefined || object === undefined || subresource !== undefined) return;
  const context = { domain: services.domain, nowMillis: services.clock.now() };
  if (oldObject === undefined) definition.strategy.prepareForCreate(object, context);
  else definition.strategy.prepareForUpdate(object, oldObject, context);
}

/** A write as admission sees it, before it is mutated. */
export interface ReadWrite {
  readonly attributes: AdmissionAttributes;
  /** Does what the kind's strategy does after the mutating part of admission, in place. */
  prepare(): void;
}

/**
 * The write that a review is about, as admission would see it once it is made. Throws a StatusError, with the faults of the
 * reviewed object below `spec`, when there can be no such write.
 */
export async function readReviewedWrite(services: ReviewServices, call: ReviewCall): Promise<ReadWrite> {
  const { review, namespace, user } = call;
  const spec = (review['spec'] ?? {}) as ReviewedWrite;
  const { operation = 'CREATE', subresource, object: rawObject = {}, oldObject: rawOld } = spec;
  const object = await readObject(services, rawObject, call, SPEC.child('object'));
  const old = rawOld && (await readObject(services, rawOld, call, SPEC.child('oldObject')));
  const faults = [object, old].flatMap((one) => (one !== undefined && 'faults' in one ? one.faults : []));
  if ('faults' in object || (old !== undefined && 'faults' in old)) {
    throw refuseReview(call, faults);
  }
  const { kind } = object;
  const context = { domain: services.domain, nowMillis: services.clock.now() };
  for (const one of [object, old]) {
    if (one !== undefined) kind.definition?.strategy.applyDefaults(one.object, context);
  }
  const attributes: AdmissionAttributes = {
    operation: operation === 'UPDATE' ? 'UPDATE' : 'CREATE',
    resource: { group: kind.group, version: kind.version, resource: kind.plural },
    kind: kind.kind,
    ...(subresource === undefined || subresource === '' ? {} : { subresource }),
    ...(kind.namespaced ? { namespace } : {}),
    name: object.object.metadata.name ?? '',
    object: object.object,
    ...(old === undefined ? {} : { oldObject: old.object }),
    dryRun: true,
    user,
  };
  return { attributes, prepare: () => prepare(services, kind, attributes) };
}
