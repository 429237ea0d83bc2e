import type { KindDefinition } from '../../kinds/kind-definition.ts';
import { policyKinds, type KindRegistry, type RegisteredKind } from '../../kinds/registry.ts';
import type { SubresourceHandler } from '../apiserver/subresource-handler.ts';

/** What is answered in front of a host, and not by it. */
export interface ServedHere {
  readonly registry: KindRegistry;
  readonly handlers: readonly SubresourceHandler[];
}

function isOneOf(definitions: readonly KindDefinition[], kind: RegisteredKind): boolean {
  return definitions.some(
    (definition) => definition.kind === kind.kind && definition.groupTemplate === kind.groupTemplate,
  );
}

/** Whether a kind is one that Bailiwick keeps, and not one of the host's own. */
export function isPolicyKind(kind: RegisteredKind): boolean {
  return isOneOf(policyKinds, kind);
}

/** A registry of some of its kinds alone. */
export function selectKinds(registry: KindRegistry, definitions: readonly KindDefinition[]): KindRegistry {
  const keep = (kind: RegisteredKind | undefined) =>
    kind !== undefined && isOneOf(definitions, kind) ? kind : undefined;
  return {
    domain: registry.domain,
    get kinds() {
      return registry.kinds.filter((kind) => isOneOf(definitions, kind));
    },
    find: (group, version, plural) => keep(registry.find(group, version, plural)),
    findByKind: (group, version, kind) => keep(registry.findByKind(group, version, kind)),
    subscribe: (listener) => registry.subscribe(listener),
  };
}
