import { formatApiVersion } from '../../core/meta/resource-name.ts';
import type { NamedKind } from '../../kinds/admissionregistration/policy/policy-request.ts';
import { isConvertedByWebhook } from '../apiserver/pipeline/converted-values.ts';
import type { KindRegistry, RegisteredKind } from '../../kinds/registry.ts';

const none: readonly NamedKind[] = [];

function nameKind({ kind, plural, version }: RegisteredKind, group: string): NamedKind {
  return { resource: { group, version, resource: plural }, kind: { group, version, kind } };
}

function formatKey(group: string, version: string, plural: string, kind: string): string {
  return `${formatApiVersion(group, version)}/${plural}/${kind}`;
}

/** Under which other groups and versions each kind is served in the same shape, by group, version, plural and kind. */
function gatherEquivalents({ kinds }: KindRegistry): ReadonlyMap<string, readonly NamedKind[]> {
  const gathered = new Map<string, readonly NamedKind[]>();
  const siblings = Map.groupBy(
    kinds.filter((kind) => kind.definedBy !== undefined && !isConvertedByWebhook(kind)),
    ({ definedBy }) => definedBy,
  );
  for (const kind of kinds) {
    const { group, aliasGroup, definedBy } = kind;
    const others = definedBy === undefined ? [] : (siblings.get(definedBy) ?? []);
    const equivalents = [
      ...(aliasGroup === undefined ? [] : [nameKind(kind, aliasGroup)]),
      ...others.filter((other) => other !== kind).map((other) => nameKind(other, group)),
    ];
    if (equivalents.length > 0) gathered.set(formatKey(group, kind.version, kind.plural, kind.kind), equivalents);
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

  /** The other names of a kind; empty when it has none. */
  list({ resource, kind }: NamedKind): readonly NamedKind[] {
    const { kinds } = this.#registry;
    if (this.#gathered?.of !== kinds) {
      this.#gathered = { of: kinds, equivalents: gatherEquivalents(this.#registry) };
    }
    const key = formatKey(resource.group, resource.version, resource.resource, kind.kind);
    return this.#gathered.equivalents.get(key) ?? none;
  }
}
