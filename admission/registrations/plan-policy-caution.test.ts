import { describe, expect, it } from 'vitest';
import type { ValidatingAdmissionPolicy } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { planPolicyCaution } from './plan-policy-caution.ts';
import { PolicyCautionPlugin } from './policy-caution-plugin.ts';

const start = 'spec.matchConstraints: matches what the host or Bailiwick needs to start: ';
const everywhere = 'nothing is judged in kube-system and bailiwick, which a namespaceSelector can leave out';

function makeSpec(rule: object, match: object = {}): Pick<ValidatingAdmissionPolicy, 'spec'> {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], scope: '*', ...rule }];
  return { spec: { matchConstraints: { resourceRules, ...match } } };
}

describe('planPolicyCaution', () => {
  const selector = (operator: string, values: string[]) => ({
    namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator, values }] },
  });

  it.for<[string, object, object, string | undefined]>([
    ['pods anywhere', { resources: ['pods'] }, {}, start + everywhere],
    ['pods of one team', { resources: ['pods'] }, { namespaceSelector: { matchLabels: { team: 'a' } } }, undefined],
    ['pods elsewhere', { resources: ['pods'] }, selector('NotIn', ['kube-system', 'bailiwick']), undefined],
    [
      'pods of the host',
      { resources: ['pods/status'] },
      selector('In', ['kube-system']),
      `${start}nothing is judged in kube-system, which a namespaceSelector can leave out`,
    ],
    ['what nobody needs', { apiGroups: ['example.com'], resources: ['*'] }, {}, undefined],
    [
      'nodes',
      { resources: ['nodes'] },
      {},
      `${start}nodes are not judged when the host itself or the release writes them`,
    ],
    ['nodes, but of a namespace', { resources: ['nodes'], scope: 'Namespaced' }, {}, undefined],
    [
      'everything',
      { apiGroups: ['*'], resources: ['*/*'] },
      {},
      `${start}nodes, namespaces, persistentvolumes and others are not judged when the host itself or the release writes them; ${everywhere}`,
    ],
  ])('%s', ([, rule, match, expected]) => {
    expect(planPolicyCaution(makeSpec(rule, match), ['kube-system', 'bailiwick'])).toBe(expected);
  });
});

describe('PolicyCautionPlugin', () => {
  const plugin = new PolicyCautionPlugin({ domain: 'example.org', excluded: ['kube-system'] });
  const resource = {
    group: 'admissionregistration.example.org',
    version: 'v1',
    resource: 'validatingadmissionpolicies',
  };
  const pods = makeSpec({ resources: ['pods'] }) as ValidatingAdmissionPolicy;
  const secrets = makeSpec({ resources: ['secrets'] }) as ValidatingAdmissionPolicy;

  it.for<[string, object, number]>([
    ['a new policy', { object: pods }, 1],
    ['a policy that matches the same', { object: { ...pods, metadata: {} }, oldObject: pods }, 0],
    ['a policy that matches something else', { object: pods, oldObject: secrets }, 1],
    ['a status', { object: pods, subresource: 'status' }, 0],
    ['a deletion', { oldObject: pods }, 0],
    ['another kind', { object: pods, resource: { ...resource, resource: 'validatingadmissionpolicybindings' } }, 0],
  ])('%s', async ([, parts, count]) => {
    const attributes = { resource, ...parts } as AdmissionAttributes;
    const warnings: string[] = [];
    if (plugin.handles(attributes)) {
      await plugin.validate(attributes, { warn: (text) => void warnings.push(text), annotate: () => undefined });
    }
    expect(warnings.length).toBe(count);
  });
});
