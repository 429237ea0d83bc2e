import { rbacGroup } from '../../apiserver/authz/rbac/rbac-objects.ts';
import type { BindingObject, PolicyRule, RoleObject, Subject } from '../../apiserver/authz/rbac/rbac-objects.ts';
import { componentClusterRoles } from './component-cluster-roles.ts';
import { controllerRules } from './controller-rules.ts';
import { defaultClusterRoleBindings } from './default-bindings.ts';
import type { BindingTemplate } from './default-bindings.ts';
import { defaultClusterRoles } from './default-cluster-roles.ts';
import type { ClusterRoleTemplate, RuleTemplate } from './default-cluster-roles.ts';

const apiVersion = `${rbacGroup}/v1`;
const bootstrapLabels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const aggregationLabelPrefix = 'rbac.authorization.k8s.io/aggregate-to-';

/** Roles and bindings with this annotation set to `false` are left as they are at start. */
export const autoUpdateAnnotation = 'rbac.authorization.kubernetes.io/autoupdate';

/** Groups under which the domain's kinds are served a second time; the domain `k8s.io` has none. */
const aliasGroups = ['core.{domain}', 'policy.{domain}'];

/** `undefined` for a rule about groups that the domain does not have. */
function buildRule(template: RuleTemplate, domain: string): PolicyRule | undefined {
  const verbs = template.verbs.split(' ');
  if ('urls' in template) return { verbs, nonResourceURLs: template.urls.split(' ') };
  const groups = template.groups.filter((group) => domain !== 'k8s.io' || !aliasGroups.includes(group));
  if (groups.length === 0) return undefined;
  return {
    verbs,
    apiGroups: groups.map((group) => group.replace('{domain}', domain)),
    resources: template.resources.split(' '),
    ...(template.names === undefined ? {} : { resourceNames: template.names.split(' ') }),
  };
}

function buildClusterRole(template: ClusterRoleTemplate, domain: string): RoleObject {
  const { name, aggregatesTo, aggregated, rules } = template;
  const aggregationLabels = aggregatesTo === undefined ? {} : { [aggregationLabelPrefix + aggregatesTo]: 'true' };
  return {
    apiVersion,
    kind: 'ClusterRole',
    metadata: {
      name,
      labels: { ...bootstrapLabels, ...aggregationLabels },
      annotations: { [autoUpdateAnnotation]: 'true' },
    },
    rules: rules.map((rule) => buildRule(rule, domain)).filter((rule) => rule !== undefined),
    ...(aggregated === true
      ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregationLabelPrefix + name]: 'true' } }] } }
      : {}),
  };
}

function buildClusterRoleBinding(template: BindingTemplate): BindingObject {
  const subjects: Subject[] = [
    ...(template.users ?? []).map((name) => ({ apiGroup: rbacGroup, kind: 'User', name })),
    ...(template.groups ?? []).map((name) => ({ apiGroup: rbacGroup, kind: 'Group', name })),
    ...(template.serviceAccounts ?? []).map((account) => {
      const [namespace = '', name = ''] = account.split('/');
      return { kind: 'ServiceAccount', name, namespace };
    }),
  ];
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: {
      name: template.name,
      labels: { ...bootstrapLabels },
      annotations: { [autoUpdateAnnotation]: 'true' },
    },
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: template.name },
    ...(subjects.length === 0 ? {} : { subjects }),
  };
}

const controllerPrefix = 'system:controller:';

/** The cluster roles that every installation has. */
export function buildDefaultClusterRoles(domain: string): RoleObject[] {
  const controllerRoles = Object.entries(controllerRules).map(([name, rules]) => ({
    name: controllerPrefix + name,
    rules,
  }));
  return [...defaultClusterRoles, ...componentClusterRoles, ...controllerRoles].map((template) =>
    buildClusterRole(template, domain),
  );
}

/** The cluster role bindings that every installation has. */
export function buildDefaultClusterRoleBindings(): BindingObject[] {
  const controllerBindings = Object.keys(controllerRules).map((name) => ({
    name: controllerPrefix + name,
    serviceAccounts: [`kube-system/${name}`],
  }));
  return [...defaultClusterRoleBindings, ...controllerBindings].map(buildClusterRoleBinding);
}
