import { formatApiVersion } from '../../../core/meta/resource-name.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import type { SubresourceHandler } from '../subresource-handler.ts';
import { describeKind, type DiscoveredResource } from './list-resources.ts';
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
  'scheduling.',
  'coordination.',
  'node.',
  'discovery.',
  'flowcontrol.',
];

function rankGroup({ group, kinds }: GroupVersion): number {
  // Clients that know no better take the first of two groups.
  if (kinds.every(({ isAlias }) => isAlias)) return GROUP_ORDER.length + 1;
  const rank = GROUP_ORDER.findIndex((known) => (known.endsWith('.') ? group.startsWith(known) : group === known));
  return rank < 0 ? GROUP_ORDER.length : rank;
}

/** The documents of discovery, made from the kinds that are served. */
export class DiscoveryDocuments {
  readonly #groupVersions: readonly GroupVersion[];
  readonly #resources = new Map<string, readonly DiscoveredResource[]>();

  constructor(registry: KindRegistry, handlers: readonly SubresourceHandler[]) {
    const byName = new Map<string, GroupVersion>();
    for (const kind of listServedKinds(registry)) {
      const name = formatApiVersion(kind.group, kind.version);
      const entry = byName.get(name) ?? { group: kind.group, version: kind.version, kinds: [] };
      entry.kinds.push(kind);
      byName.set(name, entry);
    }
    this.#groupVersions = [...byName.values()].toSorted(
      (left, right) =>
        rankGroup(left) - rankGroup(right) ||
        (left.group < right.group ? -1 : left.group > right.group ? 1 : left.version < right.version ? -1 : 1),
    );
    for (const { group, version, kinds } of this.#groupVersions) {
      const sorted = kinds.toSorted((left, right) => (left.plural < right.plural ? -1 : 1));
      const resources = sorted.flatMap((kind) => describeKind(kind, handlers));
      this.#resources.set(formatApiVersion(group, version), resources);
    }
  }

  /** Group-versions that are served, as `v1` or `apps/v1`. */
  listApiVersions(): string[] {
    return this.#groupVersions.map(({ group, version }) => formatApiVersion(group, version));
  }

  #listGroups(): string[] {
    return [...new Set(this.#groupVersions.map(({ group }) => group))].filter((group) => group !== '');
  }

  /** `/api`. */
  makeVersions(serverAddress: string): object {
    return {
      kind: 'APIVersions',
      versions: this.#groupVersions.filter(({ group }) => group === '').map(({ version }) => version),
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
    const versions = this.#groupVersions
      .filter((entry) => entry.group === group)
      .map(({ version }) => ({ groupVersion: formatApiVersion(group, version), version }));
    return { name: group, versions, preferredVersion: versions[0] };
  }

  /** `/api/v1` and `/apis/<group>/<version>`; `undefined` when it is not served. */
  makeResourceList(apiVersion: string): object | undefined {
    const resources = this.#resources.get(apiVersion);
    if (resources === undefined) return undefined;
    return {
      kind: 'APIResourceList',
      ...(apiVersion.includes('/') ? { apiVersion: 'v1' } : {}),
      groupVersion: apiVersion,
      resources: resources.map(
        ({ shortNames, categories, kind, verbs, group, version, storageVersionHash, ...rest }) => ({
          ...rest,
          ...(version === undefined ? {} : { ...(group === '' ? {} : { group }), version }),
          kind,
          verbs,
          ...(shortNames.length === 0 ? {} : { shortNames }),
          ...(categories.length === 0 ? {} : { categories }),
          ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
        }),
      ),
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
        versions: this.#groupVersions
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
    const resources = this.#resources.get(formatApiVersion(group, version)) ?? [];
    // As Kubernetes has it: empty where the kind is of the resource's own group and version.
    const responseKind = (resource: DiscoveredResource): object => ({
      group: resource.group ?? '',
      version: resource.version ?? '',
      kind: resource.kind,
    });
    return resources
      .filter(({ name }) => !name.includes('/'))
      .map((resource) => {
        const subresources = resources
          .filter(({ name }) => name.startsWith(`${resource.name}/`))
          .map((subresource) => ({
            subresource: subresource.name.slice(resource.name.length + 1),
            responseKind: responseKind(subresource),
            verbs: subresource.verbs,
          }));
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
      });
  }
}
