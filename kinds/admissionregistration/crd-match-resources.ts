import { filledTextField, labelSelectorFields, pathSegmentField, wildcardRule } from '../crd-fields.ts';
import type { CrdFieldNotes, CrdFields, CrdRule } from '../crd-notes.ts';

/** Rules of one list, and names in one rule. */
const MAX_RULES = 100;
const MAX_NAMES = 200;
const MAX_TEXT = 253;
/** A resource's name and a subresource's are labels of up to 63 characters. */
const MAX_RESOURCE = 128;

const wildcardList = (others: string): CrdFieldNotes => ({
  minItems: 1,
  maxItems: MAX_NAMES,
  rules: [wildcardRule(others)],
});

/** Once an entry of `wildcard` is there, no later one may have the same `key`; the places of the wildcards are looked up. */
function wholeRule(wildcard: string, key: string, message: string): CrdRule {
  const places = `self.transformMapEntry(at, name, ${wildcard}, {name: at})`;
  return {
    rule: `[${places}].all(places, self.all(at, name, !name.contains('/') || !(${key} in places) || places[${key}] >= at))`,
    message,
  };
}

const resourcesRules: readonly CrdRule[] = [
  wholeRule("name.endsWith('/*')", "name.split('/', 2)[0] + '/*'", "if 'a/*' is present, must not specify a/b"),
  wholeRule("name.startsWith('*/')", "'*/' + name.split('/', 2)[1]", "if '*/b' is present, must not specify a/b"),
  { rule: "size(self) <= 1 || !('*/*' in self)", message: "if '*/*' is present, must not specify other resources" },
  {
    // Of several plain names only the last one counts: so it is in Kubernetes.
    rule:
      "!('*' in self) || [self.filter(name, !name.contains('/'))].all(plain, " +
      "size(plain) == 0 || plain[size(plain) - 1] == '*')",
    message: "if '*' is present, must not specify other resources without subresources",
  },
];

function ruleFields(path: string): CrdFields {
  return {
    [path]: { maxItems: MAX_RULES },
    [`${path}[]`]: { required: ['operations', 'apiGroups', 'apiVersions', 'resources'] },
    // The rules are replaced whole by server-side apply, so that a set differs in nothing but that its values are unique.
    [`${path}[].resourceNames`]: { listType: 'set' },
    [`${path}[].resourceNames[]`]: pathSegmentField,
    [`${path}[].operations`]: wildcardList('operations'),
    [`${path}[].apiGroups`]: wildcardList('API groups'),
    [`${path}[].apiGroups[]`]: { maxLength: MAX_TEXT },
    [`${path}[].apiVersions`]: wildcardList('API versions'),
    [`${path}[].apiVersions[]`]: { minLength: 1, maxLength: MAX_TEXT },
    [`${path}[].resources`]: { minItems: 1, maxItems: MAX_NAMES, rules: resourcesRules },
    [`${path}[].resources[]`]: { minLength: 1, maxLength: MAX_RESOURCE },
    [`${path}[].scope`]: { default: '*', enum: ['*', 'Cluster', 'Namespaced'] },
  };
}

/** Fields of MatchResources at `path`. */
export function matchResourcesFields(path: string): CrdFields {
  return {
    [`${path}.matchPolicy`]: { default: 'Equivalent' },
    [`${path}.namespaceSelector`]: { default: {} },
    ...labelSelectorFields(`${path}.namespaceSelector`, true),
    [`${path}.objectSelector`]: { default: {} },
    ...labelSelectorFields(`${path}.objectSelector`, true),
    ...ruleFields(`${path}.resourceRules`),
    ...ruleFields(`${path}.excludeResourceRules`),
  };
}

/** An expression in CEL: anything but white space. */
export const expressionField = filledTextField;
