import { formatApiVersion } from '../../core/meta/resource-name.ts';
import type { NamedKind } from '../../kinds/admissionregistration/policy/policy-request.ts';
import { isConvertedByWebhook } from '../apiserver/pipeline/converted-values.ts';
import type { KindRegistry, RegisteredKind } from '../../kinds/registry.ts';

const none: readonly NamedKind[] = [];

function nameKind({ kind, plural, version }: RegisteredKind, group: string): NamedKind {
  return { resource: { group, version, resource: plural }, kind: { group, version, kind } };
}

/** A kind's other names. */
interface Equivalents {
  readonly kind: string;
  readonly names: readonly NamedKind[];
}

function formatKey(group: string, version: string, plural: string): string {
  return `${formatApiVersion(group, version)}/${plural}`;
}

/** Under which other groups and versions each kind is served in the same shape, by group, version and plural. */
function gatherEquivalents({ kinds }: KindRegistry): ReadonlyMap<string, Equivalents> {
  const gathered = new Map<string, Equivalents>();
  const siblings = Map.groupBy(
    kinds.filter((kind) => kind.definedBy !== undefined && !isConvertedByWebhook(kind)),
    ({ definedBy }) => definedBy,
  );
  for (const kind of kinds) {
    const { group, aliasGroup, definedBy } = kind;
    const others = definedBy === undefined ? [] : (siblings.get(definedBy) ?? []);
    const names = [
      ...(aliasGroup === undefined ? [] : [nameKind(kind, aliasGroup)]),
      ...others.filter((other) => other !== kind).map((other) => nameKind(other, group)),
    ];
    if (names.length > 0) gathered.set(formatKey(group, kind.version, kind.plural), { kind: kind.kind, names });
  }
  return gathered;
}

/** Knows what else the objects of a kind are served as, while kinds come and go. */
export class EquivalentKinds {
  readonly #registry: KindRegistry;
  #gathered:
    { readonly of: KindRegistry['kinds']; readonly equivalents: ReturnType<typeof gatherEquivalents> } | undefined;

  constructor(registry: KindRegistry) {
    this.#registry = registry;
  }

  /** The other names of a kind, or of a subresource that has a kind of its own (a Scale), which is the same under each; empty when it has none. */
  list({ resource, kind }: NamedKind): readonly NamedKind[] {
    const { kinds } = this.#registry;
    if (this.#gathered?.of !== kinds) {
      this.#gathered = { of: kinds, equivalents: gatherEquivalents(this.#registry) };
    }
    const found = this.#gathered.equivalents.get(formatKey(resource.group, resource.version, resource.resource));
    if (found === undefined) return none;
    return found.kind === kind.kind ? found.names : found.names.map((name) => ({ resource: name.resource, kind }));
  }
}
