import type { ResourceName } from '../../../core/meta/resource-name.ts';
import type { KindName } from '../policy/policy-request.ts';
import type { ValidatingAdmissionPolicySpec } from './schema.ts';

/** A rule may name very many kinds; so many of one rule are checked. */
const maxKindsOfRule = 10;

/** Resources whose types can be checked, rule by rule: those that are named without wildcards. */
export function listNamedResources(spec: ValidatingAdmissionPolicySpec): readonly (readonly ResourceName[])[] {
  return (spec.matchConstraints?.resourceRules ?? []).map(({ apiGroups = [], apiVersions = [], resources = [] }) => {
    if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) return [];
    const plurals = resources.filter((name) => !/[*/]/.test(name)).toSorted();
    const versions = apiVersions.toSorted();
    return apiGroups
      .toSorted()
      .flatMap((group) => versions.flatMap((version) => plurals.map((resource) => ({ group, version, resource }))));
  });
}

/** The kinds that a policy's expressions are checked against, in order; `findKind` yields undefined for a resource that is not served. */
export function listCheckedKinds(
  spec: ValidatingAdmissionPolicySpec,
  findKind: (resource: ResourceName) => KindName | undefined,
): readonly KindName[] {
  const found = new Map<string, KindName>();
  for (const resources of listNamedResources(spec)) {
    const kinds = resources.flatMap((resource) => findKind(resource) ?? []).slice(0, maxKindsOfRule);
    for (const kind of kinds) found.set(formatKindName(kind), kind);
    if (kinds.length === maxKindsOfRule) break;
  }
  return [...found.values()].toSorted(
    (a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind),
  );
}

/** `apps/v1, Kind=Deployment`, and `/v1, Kind=Pod` for the core group. */
export function formatKindName({ group, version, kind }: KindName): string {
  return `${group}/${version}, Kind=${kind}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
