import type { LabelSelector } from '../../core/selectors/label-selector.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../kinds/admissionregistration/validating-admission-policy-binding/schema.ts';
import type { ValidatingAdmissionPolicy } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import { classifyPolicy, formatPolicyPath, type PolicyClass } from './classify-policy.ts';
import { findCommonSelector } from './find-common-selector.ts';
import { intersectRules } from './intersect-rules.ts';
import { isWorkloadRule } from './is-workload-rule.ts';
import type { MatchCondition, WebhookRule } from './webhook-configuration.ts';
import type { WebhookNeed } from './webhook-need.ts';

/** A policy and one binding of it. */
interface BoundPolicy {
  readonly policy: ValidatingAdmissionPolicy;
  readonly binding: ValidatingAdmissionPolicyBinding;
}

/** Name of the entries, from which a host makes the keys of audit annotations. */
const entryName = 'validation.policy.admission';

/** The group of policies at a host. */
export function namePolicyGroup(domain: string): string {
  return `admissionregistration.${domain}`;
}

/** What is created there is answered, and not stored. */
const questionGroups = ['authentication.k8s.io', 'authorization.k8s.io'];
const isClusterScoped = '(!has(request.namespace) || request.resource.resource == "namespaces")';
const hostAccounts = 'request.userInfo.username in ["system:kube-controller-manager", "system:kube-scheduler"]';
const hostGroups =
  '(has(request.userInfo.groups) && request.userInfo.groups.exists(one, one in ' +
  '["system:serviceaccounts:kube-system", "system:bootstrappers"]))';

function matchesAnyOf(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value);
}

/** What these policies are never asked about, so that they can be repaired and a host comes up, whatever they match. */
function listExemptions(rules: readonly WebhookRule[], domain: string): MatchCondition[] {
  const group = namePolicyGroup(domain);
  const conditions: MatchCondition[] = [];
  if (rules.some(({ apiGroups }) => matchesAnyOf(apiGroups, group))) {
    conditions.push({
      name: 'not-policies',
      expression:
        `!(request.resource.group == "${group}" && ` +
        'request.resource.resource in ["validatingadmissionpolicies", "validatingadmissionpolicybindings"])',
    });
  }
  if (questionGroups.some((one) => rules.some(({ apiGroups }) => matchesAnyOf(apiGroups, one)))) {
    // Whoever could refuse these would take away everybody's rights.
    conditions.push({
      name: 'not-questions',
      expression:
        `!(request.resource.group in [${questionGroups.map((one) => `"${one}"`).join(', ')}] && ` +
        '(!has(request.subResource) || request.subResource == ""))',
    });
  }
  if (rules.some((rule) => rule.scope !== 'Namespaced' && !isWorkloadRule(rule))) {
    // Nodes must get their taints off, and volumes and namespaces be ended, without the pods that judge.
    conditions.push({
      name: 'not-the-host-itself',
      expression: `!(${isClusterScoped} && (${hostAccounts} || ${hostGroups}))`,
    });
  }
  return conditions;
}

/** Every selector but those that are empty. */
function listSelectors(...selectors: readonly (LabelSelector | undefined)[]): LabelSelector[] {
  return selectors.filter((selector) => selector !== undefined);
}

/** A label may be on the old object for one selector and on the new one for the other, so that two cannot be made one. */
function chooseObjectSelector({ policy, binding }: BoundPolicy): LabelSelector[] {
  const selectors = listSelectors(
    policy.spec.matchConstraints?.objectSelector,
    binding.spec.matchResources?.objectSelector,
  );
  const first = selectors.find(
    ({ matchLabels = {}, matchExpressions = [] }) => Object.keys(matchLabels).length + matchExpressions.length > 0,
  );
  return first === undefined ? [] : [first];
}

function listRules(bound: readonly BoundPolicy[]): WebhookRule[] {
  const rules = new Map<string, WebhookRule>();
  for (const { policy, binding } of bound) {
    for (const rule of intersectRules(policy.spec.matchConstraints ?? {}, binding.spec.matchResources)) {
      rules.set(JSON.stringify(rule), rule);
    }
  }
  return [...rules].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, rule]) => rule);
}

/** Classes that most policies are of have entries of the one name, in configurations of their own: a name may occur once in each. */
function placeEntry({ failurePolicy, versions }: PolicyClass): Pick<WebhookNeed, 'name' | 'configuration'> {
  const first = failurePolicy === 'Fail' ? 0 : 1;
  if (versions === 'v1') return { name: entryName, configuration: first };
  if (versions === 'any') return { name: entryName, configuration: first + 2 };
  return { name: `${versions}.${entryName}`, configuration: first };
}

function makeNeed(policyClass: PolicyClass, bound: readonly BoundPolicy[], domain: string): WebhookNeed {
  const rules = listRules(bound);
  return {
    type: 'validating',
    ...placeEntry(policyClass),
    path: formatPolicyPath(policyClass),
    failurePolicy: policyClass.failurePolicy,
    rules,
    namespaces: undefined,
    namespaceSelector: findCommonSelector(
      bound.map(({ policy, binding }) =>
        listSelectors(policy.spec.matchConstraints?.namespaceSelector, binding.spec.matchResources?.namespaceSelector),
      ),
    ),
    objectSelector: findCommonSelector(bound.map(chooseObjectSelector)),
    matchConditions: listExemptions(rules, domain),
    sideEffects: 'None',
    timeoutSeconds: 10,
    isSparing: !rules.every(isWorkloadRule),
  };
}

/**
 * What the host must ask about for these policies, which have their defaults, to be in force where they are bound: one entry for each
 * failure policy, and further ones for other versions of the API than `v1`, since the host converts an object for an entry as a whole.
 */
export function planPolicyNeeds(
  policies: readonly ValidatingAdmissionPolicy[],
  bindings: readonly ValidatingAdmissionPolicyBinding[],
  domain: string,
): WebhookNeed[] {
  const byName = new Map(policies.map((policy) => [policy.metadata.name ?? '', policy]));
  const groups = new Map<string, { policyClass: PolicyClass; bound: BoundPolicy[] }>();
  for (const binding of bindings) {
    const policy = byName.get(binding.spec.policyName ?? '');
    if (policy === undefined) continue;
    const policyClass = classifyPolicy(policy);
    const path = formatPolicyPath(policyClass);
    const group = groups.get(path) ?? { policyClass, bound: [] };
    group.bound.push({ policy, binding });
    groups.set(path, group);
  }
  return [...groups]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { policyClass, bound }]) => makeNeed(policyClass, bound, domain))
    .filter(({ rules }) => rules.length > 0);
}
