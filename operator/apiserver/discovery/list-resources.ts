import { createHash } from 'node:crypto';
import { isConditionTrue } from '../../../kinds/apiextensions/custom-resource-definition/conditions.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { SCALE_API_VERSION } from '../pipeline/scale-schema.ts';
import { formatApiVersion } from '../../../core/meta/resource-name.ts';
import type { ConnectHandler } from '../held-kind-handler.ts';
import type { CreateHandler, SubresourceHandler } from '../subresource-handler.ts';

/** A resource or subresource as discovery describes it. */
export interface DiscoveredResource {
  /** `pods`, or `pods/status`. */
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Group and version of the kind where they are not the resource's own. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Whether users defined the kind. */
  readonly isDefined: boolean;
  /** Changes when objects come to be stored as another version; absent for subresources and what is not stored. */
  readonly storageVersionHash?: string;
}

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** As Kubernetes lists those of kinds that it did not bring itself. */
const DEFINED_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'];

/** `undefined` for what is not stored, or stored as a version that is not served. */
function hashStorageVersion(kind: RegisteredKind): string | undefined {
  if (kind.heldBy !== undefined || kind.verbs?.includes('get') === false) return undefined;
  const version = kind.storedVersion ?? kind.version;
  const isServed = kind.definedBy?.spec.versions.some(({ name, served }) => name === version && served) ?? true;
  if (!isServed) return undefined;
  const text = `${kind.group}/${version}/${kind.kind}`;
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64');
}

function listVerbs({ verbs, definedBy }: RegisteredKind): readonly string[] {
  if (definedBy !== undefined) return isConditionTrue(definedBy, 'Terminating') ? TERMINATING_VERBS : DEFINED_VERBS;
  return verbs === undefined ? ALL_VERBS : verbs.toSorted();
}

function describeSubresource(
  kind: RegisteredKind,
  name: string,
  verbs: readonly string[],
  type?: { readonly apiVersion: string; readonly kind: string },
): DiscoveredResource {
  const own = type === undefined || type.apiVersion === kind.apiVersion;
  return {
    name: `${kind.plural}/${name}`,
    singularName: '',
    namespaced: kind.namespaced,
    kind: type?.kind ?? kind.kind,
    ...(own ? {} : splitApiVersion(type.apiVersion)),
    verbs,
    shortNames: [],
    categories: [],
    isDefined: kind.definedBy !== undefined,
  };
}

/** The resource of a kind and its subresources, in the order of their names. */
export function describeKind(kind: RegisteredKind, handlers: readonly SubresourceHandler[]): DiscoveredResource[] {
  const own = handlers.filter(
    ({ target }) => target.group === kind.group && target.version === kind.version && target.resource === kind.plural,
  );
  const subresources = own.flatMap((handler) => {
    const { subresource } = handler.target;
    if (subresource === undefined) return [];
    if (handler.type === 'connect') return [describeConnect(handler)];
    if (handler.type === 'held') return [];
    if (handler.type === 'update') return [describeSubresource(kind, subresource, handler.verbs ?? SUBRESOURCE_VERBS)];
    return [describeSubresource(kind, subresource, ['create'], bodyType(handler))];
  });
  if (kind.strategy.status !== undefined && !subresources.some(({ name }) => name === `${kind.plural}/status`)) {
    subresources.push(describeSubresource(kind, 'status', SUBRESOURCE_VERBS));
  }
  if (kind.scale !== undefined) {
    const type = { apiVersion: SCALE_API_VERSION, kind: 'Scale' };
    subresources.push(describeSubresource(kind, 'scale', SUBRESOURCE_VERBS, type));
  }
  const storageVersionHash = hashStorageVersion(kind);
  const main: DiscoveredResource = {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: listVerbs(kind),
    shortNames: kind.shortNames,
    categories: kind.categories,
    isDefined: kind.definedBy !== undefined,
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
  if (kind.definedBy !== undefined) return [main, ...subresources];
  return [main, ...subresources.toSorted((left, right) => (left.name < right.name ? -1 : 1))];
}

/** The subresources of a group-version whose parents are no kinds of it. */
export function describeOrphans(
  apiVersion: string,
  kinds: readonly RegisteredKind[],
  handlers: readonly SubresourceHandler[],
): DiscoveredResource[] {
  return handlers.flatMap((handler) => {
    if (handler.type !== 'connect' || !isOrphanOf(handler, apiVersion, kinds)) return [];
    return [describeConnect(handler)];
  });
}

/** Whether a handler is of this group-version, and its parent is no kind of it. */
function isOrphanOf(
  { target }: ConnectHandler,
  apiVersion: string,
  kinds: readonly Pick<RegisteredKind, 'plural'>[],
): boolean {
  return (
    formatApiVersion(target.group, target.version) === apiVersion &&
    !kinds.some(({ plural }) => plural === target.resource)
  );
}

function describeConnect({ target, verb, answerKind }: ConnectHandler): DiscoveredResource {
  const isOwn = answerKind.apiVersion === formatApiVersion(target.group, target.version);
  return {
    name: `${target.resource}/${target.subresource}`,
    singularName: '',
    namespaced: true,
    kind: answerKind.kind,
    ...(isOwn ? {} : splitApiVersion(answerKind.apiVersion)),
    verbs: [verb],
    shortNames: [],
    categories: [],
    isDefined: false,
  };
}

function bodyType(handler: CreateHandler): { apiVersion: string; kind: string } {
  return { apiVersion: handler.bodyApiVersion, kind: handler.bodyKind };
}
