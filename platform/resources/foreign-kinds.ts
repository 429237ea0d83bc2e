import type { KindRegistry } from '../../kinds/registry.ts';

/** A registry for programs that only deal with Kubernetes' own kinds: it knows none, so nothing is renamed, and nothing is loaded for it. */
export function foreignKinds(domain: string): KindRegistry {
  return {
    domain,
    kinds: [],
    find: () => undefined,
    findByKind: () => undefined,
    subscribe: () => () => undefined,
  };
}
