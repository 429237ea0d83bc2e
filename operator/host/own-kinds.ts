import { policyKinds, type KindRegistry, type RegisteredKind } from '../../kinds/registry.ts';

/** Whether a kind is one that Bailiwick defines, and not one of the host's own. */
export function isPolicyKind(kind: RegisteredKind): boolean {
  return policyKinds.some(
    (definition) => definition.kind === kind.kind && definition.groupTemplate === kind.groupTemplate,
  );
}

/** A registry of those kinds alone. */
export function selectPolicyKinds(registry: KindRegistry): KindRegistry {
  const keep = (kind: RegisteredKind | undefined) => (kind !== undefined && isPolicyKind(kind) ? kind : undefined);
  return {
    domain: registry.domain,
    kinds: registry.kinds.filter(isPolicyKind),
    find: (group, version, plural) => keep(registry.find(group, version, plural)),
    findByKind: (group, version, kind) => keep(registry.findByKind(group, version, kind)),
  };
}
