import { formatGroupResource } from '../../core/meta/resource-name.ts';
import { matchesLabelSelector } from '../../core/selectors/label-selector.ts';
import type { NamedRule } from '../../kinds/admissionregistration/match-resources.ts';
import type { ValidatingAdmissionPolicy } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';

/** What a host, or a release at it, writes to come up: by group, cluster-scoped and in namespaces. */
const neededClusterWide: Readonly<Record<string, readonly string[]>> = {
  '': ['nodes', 'namespaces', 'persistentvolumes'],
  'admissionregistration.k8s.io': ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
  'apiextensions.k8s.io': ['customresourcedefinitions'],
  'apiregistration.k8s.io': ['apiservices'],
  'authentication.k8s.io': ['tokenreviews'],
  'authorization.k8s.io': ['subjectaccessreviews'],
  'certificates.k8s.io': ['certificatesigningrequests'],
  'rbac.authorization.k8s.io': ['clusterroles', 'clusterrolebindings'],
  'storage.k8s.io': ['csinodes', 'volumeattachments'],
};
const neededInNamespaces: Readonly<Record<string, readonly string[]>> = {
  '': ['pods', 'services', 'endpoints', 'configmaps', 'secrets', 'serviceaccounts'],
  apps: ['daemonsets', 'deployments', 'replicasets', 'statefulsets'],
  'coordination.k8s.io': ['leases'],
  'discovery.k8s.io': ['endpointslices'],
  'rbac.authorization.k8s.io': ['roles', 'rolebindings'],
};

function includes(list: readonly string[] = [], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

/** Resources of `needed` that a rule matches, their subresources included, as people write them. */
function listMatched({ apiGroups, resources = [] }: NamedRule, needed: typeof neededClusterWide): string[] {
  const patterns = resources.map((pattern) => pattern.split('/', 1)[0] ?? '');
  return Object.entries(needed).flatMap(([group, names]) =>
    includes(apiGroups, group)
      ? names.filter((name) => includes(patterns, name)).map((name) => formatGroupResource(group, name))
      : [],
  );
}

function formatList(values: readonly string[]): string {
  const shown = values.length > 4 ? [...values.slice(0, 3), 'others'] : values;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

/**
 * What to tell of a policy that matches what a host or a release needs to come up, and which is therefore left out there; `undefined` when there
 * is nothing to tell. `excluded` are the namespaces in which nothing is judged.
 */
export function planPolicyCaution(
  { spec }: Pick<ValidatingAdmissionPolicy, 'spec'>,
  excluded: readonly string[],
): string | undefined {
  const { resourceRules = [], namespaceSelector } = spec.matchConstraints ?? {};
  const clusterWide = resourceRules.flatMap((rule) =>
    rule.scope === 'Namespaced' ? [] : listMatched(rule, neededClusterWide),
  );
  const isInNamespaces = resourceRules.some(
    (rule) => rule.scope !== 'Cluster' && listMatched(rule, neededInNamespaces).length > 0,
  );
  const namespaces = excluded.filter((name) =>
    matchesLabelSelector(namespaceSelector ?? {}, { 'kubernetes.io/metadata.name': name }),
  );
  const parts: string[] = [];
  if (clusterWide.length > 0) {
    parts.push(
      `${formatList([...new Set(clusterWide)])} are not judged when the host itself or the release writes them`,
    );
  }
  if (isInNamespaces && namespaces.length > 0) {
    parts.push(`nothing is judged in ${formatList(namespaces)}, which a namespaceSelector can leave out`);
  }
  if (parts.length === 0) return undefined;
  return `spec.matchConstraints: matches what the host or Bailiwick needs to start: ${parts.join('; ')}`;
}
