import { deepClone } from '../../../core/meta/deep.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { convertByWebhook } from '../conversion/convert-by-webhook.ts';
import { findConverted, isConvertedByWebhook, rememberConverted } from './converted-values.ts';
import { decodeStored, encodeObject, type AnyObject } from './stored-encoding.ts';
import { getStoredApiVersion } from './stored-version.ts';

/**
 * Has a webhook convert those of the stored values that are of another version than the kind's, so that they can be read afterwards; at
 * once for every kind that needs no webhook. Throws a StatusError when the webhook fails.
 */
export async function prepareStored(kind: RegisteredKind, values: readonly Buffer[]): Promise<void> {
  const { definedBy, conversion } = kind;
  if (definedBy === undefined || !isConvertedByWebhook(kind)) return;
  const others = values.flatMap((value) => {
    if (findConverted(kind, value) !== undefined) return [];
    const object = decodeStored(value);
    return object.apiVersion === kind.apiVersion ? [] : [{ value, object }];
  });
  const objects = others.map(({ object }) => object);
  const converted = await convertByWebhook(definedBy, objects, kind.apiVersion);
  for (const [index, { value, object }] of others.entries()) {
    const made = converted[index] as AnyObject;
    conversion?.fromStored(made);
    const { resourceVersion } = object.metadata;
    rememberConverted(kind, value, encodeObject(made, kind.kind, kind.apiVersion, resourceVersion));
  }
}

/** The object in the version that it is stored as, where only a webhook can convert it; `undefined` otherwise. Throws a StatusError. */
export async function prepareToStore(kind: RegisteredKind, object: AnyObject): Promise<AnyObject | undefined> {
  const apiVersion = getStoredApiVersion(kind);
  if (kind.definedBy === undefined || !isConvertedByWebhook(kind) || apiVersion === kind.apiVersion) return undefined;
  const given = deepClone(object);
  given.kind = kind.kind;
  given.apiVersion = kind.apiVersion;
  const [stored] = await convertByWebhook(kind.definedBy, [given], apiVersion);
  return stored as AnyObject;
}
