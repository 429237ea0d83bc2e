import { compareVersions } from '../../../core/meta/compare-versions.ts';
import { formatApiVersion } from '../../../core/meta/resource-name.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import type { SubresourceHandler } from '../subresource-handler.ts';
import { describeKind, describeOrphans, type DiscoveredResource } from './list-resources.ts';
import { listServedKinds, type ServedKind } from './list-served-kinds.ts';

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: ServedKind[];
}

/** Groups in the order in which Kubernetes lists them; further ones follow by name. */
const GROUP_ORDER = [
  '',
  'apps',
  'events.',
  'authentication.',
  'authorization.',
  'autoscaling',
  'batch',
  'certificates.',
  'networking.',
  'policy',
  'rbac.',
  'storage.',
  'admissionregistration.',
  'apiextensions.',
  'scheduling.',
  'coordination.',
  'node.',
  'discovery.',
  'flowcontrol.',
];

function rankGroup({ group, kinds }: GroupVersion): number {
  // Clients that know no better take the first of two groups.
  if (kinds.every(({ isAlias }) => isAlias)) return GROUP_ORDER.length + 1;
  if (kinds.every(({ definedBy }) => definedBy !== undefined)) return GROUP_ORDER.length;
  const rank = GROUP_ORDER.findIndex((known) => (known.endsWith('.') ? group.startsWith(known) : group === known));
  return rank < 0 ? GROUP_ORDER.length : rank;
}

/** What the documents say while the same kinds are served. */
interface ServedGroups {
  readonly kinds: KindRegistry['kinds'];
  readonly groupVersions: readonly GroupVersion[];
  readonly resources: ReadonlyMap<string, readonly DiscoveredResource[]>;
}

function gatherGroupVersions(kinds: readonly ServedKind[]): GroupVersion[] {
  const byName = new Map<string, GroupVersion>();
  for (const kind of kinds) {
    const name = formatApiVersion(kind.group, kind.version);
    const entry = byName.get(name) ?? { group: kind.group, version: kind.version, kinds: [] };
    entry.kinds.push(kind);
    byName.set(name, entry);
  }
  return [...byName.values()].toSorted(
    (left, right) =>
      rankGroup(left) - rankGroup(right) ||
      (left.group < right.group ? -1 : left.group > right.group ? 1 : compareVersions(left.version, right.version)),
  );
}

/** A resource as the plain documents list it. */
function listResource(resource: DiscoveredResource): object {
  const { name, singularName, namespaced, group, version, kind, verbs } = resource;
  const { shortNames, categories, storageVersionHash } = resource;
  return {
    name,
    singularName,
    namespaced,
    ...(version === undefined ? {} : { ...(group === '' ? {} : { group }), version }),
    kind,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
}

/** The documents of discovery, made from the kinds that are served. */
export class DiscoveryDocuments {
  readonly #registry: KindRegistry;
  readonly #handlers: readonly SubresourceHandler[];
  #served: ServedGroups | undefined;

  constructor(registry: KindRegistry, handlers: readonly SubresourceHandler[]) {
    this.#registry = registry;
    this.#handlers = handlers;
  }

  get #current(): ServedGroups {
    const { kinds } = this.#registry;
    if (this.#served?.kinds === kinds) return this.#served;
    const groupVersions = gatherGroupVersions(listServedKinds(this.#registry));
    const resources = new Map<string, readonly DiscoveredResource[]>();
    for (const { group, version, kinds: own } of groupVersions) {
      const sorted = own.toSorted((left, right) => (left.plural < right.plural ? -1 : 1));
      const apiVersion = formatApiVersion(group, version);
      const described = sorted.flatMap((kind) => describeKind(kind, this.#handlers));
      resources.set(apiVersion, [...described, ...describeOrphans(apiVersion, own, this.#handlers)]);
    }
    this.#served = { kinds, groupVersions, resources };
    return this.#served;
  }

  /** Group-versions that are served, as `v1` or `apps/v1`. */
  listApiVersions(): string[] {
    return this.#current.groupVersions.map(({ group, version }) => formatApiVersion(group, version));
  }

  #listGroups(): string[] {
    return [...new Set(this.#current.groupVersions.map(({ group }) => group))].filter((group) => group !== '');
  }

  /** `/api`. */
  makeVersions(serverAddress: string): object {
    return {
      kind: 'APIVersions',
      versions: this.#current.groupVersions.filter(({ group }) => group === '').map(({ version }) => version),
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
    };
  }

  /** `/apis`. */
  makeGroupList(): object {
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: this.#listGroups().map((group) => this.#makeGroup(group)),
    };
  }

  /** `/apis/<group>`; `undefined` when it is not served. */
  makeGroup(group: string): object | undefined {
    if (!this.#listGroups().includes(group)) return undefined;
    return { kind: 'APIGroup', apiVersion: 'v1', ...this.#makeGroup(group) };
  }

  #makeGroup(group: string): object {
    const versions = this.#current.groupVersions
      .filter((entry) => entry.group === group)
      .map(({ version }) => ({ groupVersion: formatApiVersion(group, version), version }));
    return { name: group, versions, preferredVersion: versions[0] };
  }

  /** `/api/v1` and `/apis/<group>/<version>`; `undefined` when it is not served. */
  makeResourceList(apiVersion: string): object | undefined {
    const resources = this.#current.resources.get(apiVersion);
    if (resources === undefined) return undefined;
    return {
      kind: 'APIResourceList',
      ...(apiVersion.includes('/') ? { apiVersion: 'v1' } : {}),
      groupVersion: apiVersion,
      resources: resources.map(listResource),
    };
  }

  /** The aggregated document of `/api` (`legacy`) or `/apis`; `version` is that of the apidiscovery group. */
  makeAggregated(legacy: boolean, version: string): object {
    const groups = legacy ? [''] : this.#listGroups();
    return {
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
      items: groups.map((group) => ({
        metadata: group === '' ? {} : { name: group },
        versions: this.#current.groupVersions
          .filter((entry) => entry.group === group)
          .map((entry) => ({
            version: entry.version,
            resources: this.#aggregate(group, entry.version),
            freshness: 'Current',
          })),
      })),
    };
  }

  #aggregate(group: string, version: string): object[] {
    const resources = this.#current.resources.get(formatApiVersion(group, version)) ?? [];
    // As Kubernetes has it: empty where a kind of its own is of the resource's group and version.
    const responseKind = (resource: DiscoveredResource): object => ({
      group: resource.group ?? (resource.isDefined ? group : ''),
      version: resource.version ?? (resource.isDefined ? version : ''),
      kind: resource.kind,
    });
    const listBelow = (parent: string): object[] =>
      resources
        .filter(({ name }) => name.startsWith(`${parent}/`))
        .map((subresource) => ({
          subresource: subresource.name.slice(parent.length + 1),
          responseKind: responseKind(subresource),
          verbs: subresource.verbs,
        }));
    const mains = resources.filter(({ name }) => !name.includes('/'));
    const parents = new Set(resources.map(({ name }) => name.split('/', 1)[0] ?? ''));
    // A parent that is not served itself is named for the sake of what is below it, as Kubernetes does.
    const unserved = [...parents].filter((parent) => !mains.some(({ name }) => name === parent));
    return [
      ...mains.map((resource) => {
        const subresources = listBelow(resource.name);
        return {
          resource: resource.name,
          responseKind: responseKind(resource),
          scope: resource.namespaced ? 'Namespaced' : 'Cluster',
          singularResource: resource.singularName,
          verbs: resource.verbs,
          ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
          ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
          ...(subresources.length === 0 ? {} : { subresources }),
        };
      }),
      ...unserved.map((resource) => ({
        resource,
        responseKind: { group: '', version: '', kind: '' },
        scope: 'Namespaced',
        singularResource: '',
        verbs: null,
        subresources: listBelow(resource),
      })),
    ];
  }
}
