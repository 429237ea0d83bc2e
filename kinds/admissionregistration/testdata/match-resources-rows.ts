import type { JsonObject } from '../../../core/meta/json.ts';
import type { RuleRow } from '../../rule-case.ts';


const fine = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };

/** The rules of MatchResources at `path`, for the tables of policies and bindings: the objects hold fields of MatchResources only. */
export function matchResourcesRows(path: string): RuleRow[] {
  const rule = (name: string, spec: string, accepted: JsonObject, rejected: JsonObject, field: string, message: string) =>
    [
      `resourceRules.${name}`,
      `NamedRuleWithOperations ${spec}`,
      { resourceRules: [{ ...fine, ...accepted }] },
      { resourceRules: [{ ...fine, ...rejected }] },
      `${path}.resourceRules[0].${field}`,
      message,
    ] satisfies RuleRow;
  const resources = (name: string, accepted: string[], rejected: string[], field: string, message: string) =>
    rule(`resources.${name}`, 'resources', { resources: accepted }, { resources: rejected }, field, message);
  return [
    ['matchPolicy', 'MatchResources matchPolicy', { matchPolicy: 'Exact' }, { matchPolicy: 'Fuzzy' }, `${path}.matchPolicy`,
      'Unsupported value: "Fuzzy": supported values: "Equivalent", "Exact"'],
    ['namespaceSelector', 'MatchResources namespaceSelector', { namespaceSelector: { matchLabels: { a: 'b' } } },
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      `${path}.namespaceSelector.matchExpressions[0].values`,
      "Required value: must be specified when `operator` is 'In' or 'NotIn'"],
    ['objectSelector', 'MatchResources objectSelector', { objectSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
      { objectSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
      `${path}.objectSelector.matchExpressions[0].values`,
      "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ['excludeResourceRules', 'MatchResources excludeResourceRules', { excludeResourceRules: [fine] },
      { excludeResourceRules: [{ ...fine, apiGroups: [] }] }, `${path}.excludeResourceRules[0].apiGroups`, 'Required value'],
    rule('apiGroups', 'apiGroups', { apiGroups: ['*'] }, { apiGroups: [] }, 'apiGroups', 'Required value'),
    rule('apiGroups.wildcard', 'apiGroups', { apiGroups: ['', 'apps'] }, { apiGroups: ['', '*'] }, 'apiGroups',
      `Invalid value: ["","*"]: if '*' is present, must not specify other API groups`),
    rule('apiVersions', 'apiVersions', { apiVersions: ['*'] }, { apiVersions: [] }, 'apiVersions', 'Required value'),
    rule('apiVersions.empty', 'apiVersions', { apiVersions: ['v1'] }, { apiVersions: [''] }, 'apiVersions[0]',
      'Required value'),
    rule('apiVersions.wildcard', 'apiVersions', { apiVersions: ['v1', 'v2'] }, { apiVersions: ['v1', '*'] }, 'apiVersions',
      `Invalid value: ["v1","*"]: if '*' is present, must not specify other API versions`),
    rule('operations', 'operations', { operations: ['*'] }, { operations: [] }, 'operations', 'Required value'),
    rule('operations.wildcard', 'operations', { operations: ['CREATE', 'CONNECT'] }, { operations: ['*', 'CREATE'] },
      'operations', `Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`),
    rule('operations.supported', 'operations', { operations: ['UPDATE', 'DELETE'] }, { operations: ['READ'] },
      'operations[0]', 'Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"'),
    rule('resourceNames', 'resourceNames', { resourceNames: ['a', 'b', ''] }, { resourceNames: ['a/b'] }, 'resourceNames[0]',
      `Invalid value: "a/b": may not contain '/'`),
    rule('resourceNames.unique', 'resourceNames', { resourceNames: [] }, { resourceNames: ['a', 'a'] }, 'resourceNames[1]',
      'Duplicate value: "a"'),
    rule('scope', 'scope', { scope: 'Cluster' }, { scope: 'Global' }, 'scope',
      'Unsupported value: "Global": supported values: "*", "Cluster", "Namespaced"'),
    resources('required', ['pods/log'], [], 'resources', 'Required value'),
    resources('empty', ['*/*'], [''], 'resources[0]', 'Required value'),
    resources('whole-resource', ['pods', 'pods/*'], ['pods/*', 'pods/log'], 'resources[1]',
      `Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`),
    resources('whole-subresource', ['*/scale', 'pods/log'], ['*/scale', 'pods/scale'], 'resources[1]',
      `Invalid value: "pods/scale": if '*/scale' is present, must not specify pods/scale`),
    resources('everything', ['*/*'], ['*/*', 'pods'], 'resources',
      `Invalid value: ["*/*","pods"]: if '*/*' is present, must not specify other resources`),
    resources('all', ['*', 'pods/log'], ['*', 'pods'], 'resources',
      `Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`),
  ];
}
