import type { z } from 'zod';
import type { FieldError } from '../../core/errors/field-error.ts';
import type { FieldPath } from '../../core/errors/field-path.ts';
import { makeDuplicate, makeInvalid, makeNotSupported, makeRequired } from '../../core/errors/make-field-error.ts';
import { validateLabelSelector } from '../../core/selectors/label-selector.ts';
import { checkPathSegmentName } from '../../core/validation/names.ts';
import { labelSelectorSchema } from '../object-schemas.ts';
import { atomicList, choice, omitted, pointer, struct, text } from '../schema-vocabulary.ts';

const V1 = 'io.k8s.api.admissionregistration.v1';
const operationNames = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

const ruleSchema = struct(
  {
    definition: `${V1}.NamedRuleWithOperations`,
    mapType: 'atomic',
    description: 'Operations on resources; all of its parts must match.',
  },
  {
    resourceNames: omitted(atomicList(text()), 'Names of objects; none means all.'),
    operations: omitted(
      atomicList(choice(operationNames, 'v1.OperationType')),
      'CREATE, UPDATE, DELETE, CONNECT; * alone for all.',
    ),
    apiGroups: omitted(atomicList(text()), 'API groups; * alone for all.'),
    apiVersions: omitted(atomicList(text()), 'API versions; * alone for all.'),
    resources: omitted(atomicList(text()), 'Plural names, subresources as pods/log; * in place of either part.'),
    scope: pointer(text(), 'Cluster, Namespaced or * (the default).', { goType: 'v1.ScopeType' }),
  },
);

/** Schema of MatchResources, which policies and bindings share. */
export const matchResourcesSchema = struct(
  {
    definition: `${V1}.MatchResources`,
    mapType: 'atomic',
    description: 'Which requests are matched; what is excluded is so whatever else matches.',
  },
  {
    namespaceSelector: pointer(
      labelSelectorSchema,
      'Labels of the namespace of the object; empty (the default) for all.',
    ),
    objectSelector: pointer(labelSelectorSchema, 'Labels of the old or new object; empty (the default) for all.'),
    resourceRules: omitted(atomicList(ruleSchema), 'Operations that are matched, by any of these.'),
    excludeResourceRules: omitted(atomicList(ruleSchema), 'Operations that are not matched.'),
    matchPolicy: pointer(
      choice(['Exact', 'Equivalent'], 'v1.MatchPolicyType'),
      'Exact, or Equivalent (the default): requests through other groups and versions match as well.',
    ),
  },
);

/** Which requests are matched ("MatchResources"). */
export type MatchResources = z.infer<typeof matchResourcesSchema>;
/** One rule of MatchResources ("NamedRuleWithOperations"). */
export type NamedRule = z.infer<typeof ruleSchema>;

const scopes = ['*', 'Cluster', 'Namespaced'];
const matchPolicies = ['Equivalent', 'Exact'];

/** Fills the policy, both selectors and the scopes of the rules where they are absent, in place. */
export function applyMatchResourcesDefaults(match: MatchResources): void {
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*';
}

function validateWildcardList(list: readonly string[], others: string, path: FieldPath): FieldError[] {
  if (list.length === 0) return [makeRequired(path, '')];
  if (list.length === 1 || !list.includes('*')) return [];
  return [makeInvalid(path, list, `if '*' is present, must not specify other ${others}`)];
}

function validateResources(resources: readonly string[], path: FieldPath): FieldError[] {
  if (resources.length === 0) return [makeRequired(path, '')];
  const errors: FieldError[] = [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  // Of several plain names only the last one counts: so it is in Kubernetes.
  let isLastPlainNamed = false;
  for (const [i, text] of resources.entries()) {
    const at = path.index(i);
    if (text === '') {
      errors.push(makeRequired(at, ''));
      continue;
    }
    const slash = text.indexOf('/');
    if (slash < 0) {
      isLastPlainNamed = text !== '*';
      continue;
    }
    const resource = text.slice(0, slash);
    const subresource = text.slice(slash + 1);
    if (wholeResources.has(resource)) {
      errors.push(makeInvalid(at, text, `if '${resource}/*' is present, must not specify ${text}`));
    }
    if (wholeSubresources.has(subresource)) {
      errors.push(makeInvalid(at, text, `if '*/${subresource}' is present, must not specify ${text}`));
    }
    if (subresource === '*') wholeResources.add(resource);
    if (resource === '*') wholeSubresources.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(makeInvalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && isLastPlainNamed) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(makeInvalid(path, resources, detail));
  }
  return errors;
}

function validateResourceNames(names: readonly string[], path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return names.flatMap((name, i) => {
    const errors = checkPathSegmentName(name, false).map((fault) => makeInvalid(path.index(i), name, fault));
    if (seen.has(name)) errors.push(makeDuplicate(path.index(i), name));
    seen.add(name);
    return errors;
  });
}

function validateRule(rule: NamedRule, path: FieldPath): FieldError[] {
  const { resourceNames = [], operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const operationsPath = path.child('operations');
  const versionsPath = path.child('apiVersions');
  return [
    ...validateResourceNames(resourceNames, path.child('resourceNames')),
    ...validateWildcardList(operations, 'operations', operationsPath),
    ...operations.flatMap((operation, i) =>
      operationNames.includes(operation) ? [] : [makeNotSupported(operationsPath.index(i), operation, operationNames)],
    ),
    ...validateWildcardList(apiGroups, 'API groups', path.child('apiGroups')),
    ...validateWildcardList(apiVersions, 'API versions', versionsPath),
    ...apiVersions.flatMap((version, i) => (version === '' ? [makeRequired(versionsPath.index(i), '')] : [])),
    ...validateResources(resources, path.child('resources')),
    ...(scope === undefined || scopes.includes(scope) ? [] : [makeNotSupported(path.child('scope'), scope, scopes)]),
  ];
}

/** Faults of MatchResources; a policy's has at least one resource rule besides. */
export function validateMatchResources(match: MatchResources, path: FieldPath): FieldError[] {
  const { matchPolicy, resourceRules = [], excludeResourceRules = [] } = match;
  const errors: FieldError[] = [];
  const policyPath = path.child('matchPolicy');
  if (matchPolicy === undefined) errors.push(makeRequired(policyPath, ''));
  else if (!matchPolicies.includes(matchPolicy)) errors.push(makeNotSupported(policyPath, matchPolicy, matchPolicies));
  for (const field of ['namespaceSelector', 'objectSelector'] as const) {
    const selector = match[field];
    if (selector === undefined) errors.push(makeRequired(path.child(field), ''));
    else errors.push(...validateLabelSelector(selector, path.child(field)));
  }
  return [
    ...errors,
    ...resourceRules.flatMap((rule, i) => validateRule(rule, path.child('resourceRules').index(i))),
    ...excludeResourceRules.flatMap((rule, i) => validateRule(rule, path.child('excludeResourceRules').index(i))),
  ];
}
