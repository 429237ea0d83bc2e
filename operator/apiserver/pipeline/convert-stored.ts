import { deepClone } from '../../../core/meta/deep.ts';
import type { CustomResourceDefinition } from '../../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { convertByWebhook } from '../conversion/convert-by-webhook.ts';
import { findConverted, isConvertedByWebhook, rememberConverted } from './converted-values.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import { decodeStored, encodeObject, type AnyObject } from './stored-encoding.ts';
import { getStoredApiVersion } from './stored-version.ts';

/** A webhook is asked about so many objects and bytes at a time, since its answer to each question is read at once. */
const maxObjectsAtOnce = 200;
const maxBytesAtOnce = 1 << 20;

/** What webhooks are being asked about, by the strategy of the kind that is to show it. */
const conversions = new WeakMap<object, Map<Buffer, Promise<void>>>();

/**
 * Has a webhook convert those of the stored values that are of another version than the kind's, so that they can be read afterwards; at
 * once for every kind that needs no webhook. However many read a value at a time, the webhook is asked about it once. Throws a
 * StatusError when the webhook fails.
 */
export async function prepareStored(kind: RegisteredKind, values: readonly Buffer[]): Promise<void> {
  const { definedBy, strategy } = kind;
  if (definedBy === undefined || !isConvertedByWebhook(kind)) return;
  const underWay = conversions.get(strategy) ?? new Map<Buffer, Promise<void>>();
  conversions.set(strategy, underWay);
  const slices = new EventLoopYield();
  const ofOthers = new Set<Promise<void>>();
  for (const part of cutIntoParts([...new Set(values)])) {
    if (slices.isDue()) await slices.pause();
    const asked: Buffer[] = [];
    for (const value of part) {
      const conversion = underWay.get(value);
      if (conversion !== undefined) ofOthers.add(conversion);
      else if (findConverted(kind, value) === undefined) asked.push(value);
    }
    const others = asked
      .map((value) => ({ value, object: decodeStored(value) }))
      .filter(({ object }) => object.apiVersion !== kind.apiVersion);
    if (others.length === 0) continue;
    const conversion = convertPart(kind, definedBy, others).finally(() => {
      for (const { value } of others) underWay.delete(value);
    });
    for (const { value } of others) underWay.set(value, conversion);
    await conversion;
  }
  await Promise.all(ofOthers);
}

function* cutIntoParts(values: readonly Buffer[]): Iterable<readonly Buffer[]> {
  let [from, bytes] = [0, 0];
  for (const [index, { length }] of values.entries()) {
    if (index - from === maxObjectsAtOnce || (index > from && bytes + length > maxBytesAtOnce)) {
      yield values.slice(from, index);
      [from, bytes] = [index, 0];
    }
    bytes += length;
  }
  yield values.slice(from);
}

async function convertPart(
  kind: RegisteredKind,
  definition: CustomResourceDefinition,
  part: readonly { readonly value: Buffer; readonly object: AnyObject }[],
): Promise<void> {
  const objects = part.map(({ object }) => object);
  const converted = await convertByWebhook(definition, objects, kind.apiVersion);
  for (const [index, { value, object }] of part.entries()) {
    const made = converted[index] as AnyObject;
    kind.conversion?.fromStored(made);
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
