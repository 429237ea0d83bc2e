import type { PolicyRequest } from '../policy-request.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../validating-admission-policy-binding/schema.ts';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicySpec } from '../../validating-admission-policy/schema.ts';

/** The creation of the pod `a` in the namespace `ns`, with changes. */
export function makeRequest(changes: Partial<PolicyRequest> = {}): PolicyRequest {
  return {
    operation: 'CREATE',
    resource: { group: '', version: 'v1', resource: 'pods' },
    kind: { group: '', version: 'v1', kind: 'Pod' },
    subresource: '',
    name: 'a',
    namespace: 'ns',
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', namespace: 'ns', labels: { team: 'x' } },
      spec: { containers: [{ name: 'one' }, { name: 'two' }] },
    },
    oldObject: null,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    dryRun: false,
    user: { username: 'tester', groups: ['testers'] },
    equivalents: [],
    ...changes,
  };
}

/** A policy for the creation of pods, with changes to its spec. */
export function makePolicy(changes: Partial<ValidatingAdmissionPolicySpec> = {}, name = 'p'): ValidatingAdmissionPolicy {
  return {
    apiVersion: 'admissionregistration.bailiwick.dev/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' },
        ],
      },
      validations: [{ expression: 'true' }],
      ...changes,
    },
    status: {},
  };
}

/** A binding of the policy `p` that denies, with changes to its spec. */
export function makeBinding(
  changes: Partial<ValidatingAdmissionPolicyBinding['spec']> = {},
  name = 'b',
): ValidatingAdmissionPolicyBinding {
  return {
    apiVersion: 'admissionregistration.bailiwick.dev/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: 'p', validationActions: ['Deny'], ...changes },
  };
}
