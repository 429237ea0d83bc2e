import { formatApiVersion } from '../../../core/meta/resource-name.ts';
import type { KindRegistry, RegisteredKind } from '../../../kinds/registry.ts';

/** A kind as a request addresses it: by its own group, or by its alias group. */
export interface ResourceTarget {
  readonly kind: RegisteredKind;
  /** Group in the path, which answers and errors name. */
  readonly group: string;
  readonly version: string;
  /** Group and version in the path. */
  readonly apiVersion: string;
  readonly isAlias: boolean;
}

/** Finds what a group, version and plural name; `undefined` when nothing is served there. */
export function findTarget(
  registry: KindRegistry,
  group: string,
  version: string,
  plural: string,
): ResourceTarget | undefined {
  const kind = registry.find(group, version, plural);
  if (kind === undefined) return undefined;
  return { kind, group, version, apiVersion: formatApiVersion(group, version), isAlias: group !== kind.group };
}

/** Tells whether the kind serves a verb; kinds without a list of verbs serve all. */
export function servesVerb(kind: RegisteredKind, verb: NonNullable<RegisteredKind['verbs']>[number]): boolean {
  return kind.verbs === undefined || kind.verbs.includes(verb);
}

/** Whether objects of a kind are answered and never kept: then only its collections have a path. */
export function isOnlyCreated({ verbs }: RegisteredKind): boolean {
  return verbs?.every((verb) => verb === 'create') === true;
}

/** Prefix of the storage keys of all objects of a kind, or of those in one namespace; ends with a slash. */
export function makeKeyPrefix(kind: RegisteredKind, namespace?: string): string {
  const prefix = `/${kind.group === '' ? 'core' : kind.group}/${kind.plural}/`;
  return kind.namespaced && namespace !== undefined && namespace !== '' ? `${prefix}${namespace}/` : prefix;
}

/** Storage key of an object. */
export function makeKey(kind: RegisteredKind, namespace: string | undefined, name: string): string {
  return makeKeyPrefix(kind, namespace) + name;
}
