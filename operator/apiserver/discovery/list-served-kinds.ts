import { formatApiVersion } from '../../../core/meta/resource-name.ts';
import type { KindRegistry, RegisteredKind } from '../../../kinds/registry.ts';

/** A kind under one of the groups that it is served in. */
export interface ServedKind extends RegisteredKind {
  /** Whether this is the second group of a kind. */
  readonly isAlias: boolean;
}

/**
 * Every kind in every group that it is served in. An alias is for manifests that name its apiVersion, so it has no short names and is in no
 * category: clients would find each object twice, and warn of it.
 */
export function listServedKinds(registry: KindRegistry): ServedKind[] {
  return registry.kinds.flatMap((kind) => {
    let served = servedAs.get(kind);
    if (served === undefined) servedAs.set(kind, (served = serveKind(kind)));
    return served;
  });
}

/** A kind that stays registered stays the same served kinds, by which documents are known to be unchanged. */
const servedAs = new WeakMap<RegisteredKind, readonly ServedKind[]>();

function serveKind(kind: RegisteredKind): readonly ServedKind[] {
  const own = { ...kind, isAlias: false };
  const { aliasGroup } = kind;
  if (aliasGroup === undefined) return [own];
  const apiVersion = formatApiVersion(aliasGroup, kind.version);
  return [own, { ...kind, group: aliasGroup, apiVersion, shortNames: [], categories: [], isAlias: true }];
}
