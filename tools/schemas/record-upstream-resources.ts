import type { Cluster } from '../../test/cluster/start-cluster.ts';

interface DiscoveredSubresource {
  readonly subresource: string;
  readonly verbs: readonly string[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: string;
  readonly singularResource: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly DiscoveredSubresource[];
}

interface DiscoveryDocument {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[];
  }[];
}

interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
}

/** How upstream serves one resource; `columns` are those of its Table, absent for create-only kinds. */
export interface UpstreamResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: Readonly<Record<string, readonly string[]>>;
  readonly columns?: readonly ColumnDefinition[];
}

async function readColumns(cluster: Cluster, path: string): Promise<ColumnDefinition[]> {
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const answer = await cluster.request('GET', path, { headers });
  if (answer.status !== 200) throw new Error(`no Table at ${path}`);
  const { columnDefinitions } = answer.body as { columnDefinitions: ColumnDefinition[] };
  return columnDefinitions.map(({ name, type, format, priority }) => ({ name, type, format, priority }));
}

/** Reads discovery and the tables' columns of every resource in the given group versions (`api/v1`, `apis/apps/v1`), sorted. */
export async function recordUpstreamResources(
  cluster: Cluster,
  groupVersions: readonly string[],
): Promise<UpstreamResource[]> {
  const records: UpstreamResource[] = [];
  const headers = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
  for (const root of ['api', 'apis']) {
    const { items } = (await cluster.request('GET', `/${root}`, { headers })).body as DiscoveryDocument;
    for (const { metadata, versions } of items) {
      const group = metadata.name ?? '';
      for (const { version, resources = [] } of versions) {
        const path = group === '' ? `${root}/${version}` : `${root}/${group}/${version}`;
        if (!groupVersions.includes(path)) continue;
        for (const resource of resources) {
          const columns = resource.verbs.includes('list')
            ? await readColumns(cluster, `/${path}/${resource.resource}`)
            : undefined;
          records.push({
            group,
            version,
            plural: resource.resource,
            kind: resource.responseKind.kind,
            singular: resource.singularResource,
            namespaced: resource.scope === 'Namespaced',
            shortNames: resource.shortNames ?? [],
            categories: resource.categories ?? [],
            verbs: resource.verbs,
            subresources: Object.fromEntries(
              (resource.subresources ?? []).map(({ subresource, verbs }) => [subresource, verbs]),
            ),
            ...(columns ? { columns } : {}),
          });
        }
      }
    }
  }
  const key = (record: UpstreamResource): string => `${record.group}/${record.version}/${record.plural}`;
  return records.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
