import type { StructuralSchema } from '../../core/schema/structural-schema.ts';
import type { KindName } from '../../kinds/admissionregistration/policy/policy-request.ts';
import { buildKindRegistry, type KindRegistry } from '../../kinds/registry.ts';

const registries = new Map<string, KindRegistry>();

/** The schema of a kind that Bailiwick serves embedded, or holds on a host; `undefined` for every other kind. */
export function findKindSchema(domain: string, { group, version, kind }: KindName): StructuralSchema | undefined {
  let registry = registries.get(domain);
  if (registry === undefined) registries.set(domain, (registry = buildKindRegistry(domain)));
  return registry.findByKind(group, version, kind)?.schema;
}
